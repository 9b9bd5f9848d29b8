import { updateRoutingRule as operation } from '@flotilla/contract/operations/routing-rules.ts';
import { updateRoutingRule } from '@flotilla/domain/routing-rules/update-routing-rule.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { findBotsOfRule, requireBotsOfRule } from './bots-of-rule.ts';
import { presentRoutingRule } from './present-routing-rule.ts';

export const updateRoutingRuleEndpoint = defineEndpoint(
  operation,
  async (context, { input, by }) => {
    const changes = {
      sourceBotId: input.source_bot_id,
      targetBotId: input.target_bot_id,
      conditionType: input.condition_type,
      conditionValue: input.condition_value,
      action: input.action,
      targetChatId: input.target_chat_id,
      enabled: input.enabled,
      delivery: input.delivery,
      description: input.description,
    };
    requireBotsOfRule(context, input);
    return presentRoutingRule(await updateRoutingRule(context, by, input.id, changes));
  },
  findBotsOfRule,
);
