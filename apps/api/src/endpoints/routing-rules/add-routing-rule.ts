import { addRoutingRule as operation } from '@flotilla/contract/operations/routing-rules.ts';
import { addRoutingRule } from '@flotilla/domain/routing-rules/add-routing-rule.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBotsOfRule } from './bots-of-rule.ts';
import { presentRoutingRule } from './present-routing-rule.ts';

export const addRoutingRuleEndpoint = defineEndpoint(operation, async (context, { input, by }) => {
  const rule = {
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
  return presentRoutingRule(await addRoutingRule(context, by, rule));
});
