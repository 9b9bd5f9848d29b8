import type { RoutingRuleResource } from '@flotilla/contract/resources/routing-rule.ts';
import type { RoutingRule } from '@flotilla/domain/routing-rules/routing-rule.ts';
import { withoutNulls } from '../without-nulls.ts';

export function presentRoutingRule(rule: RoutingRule): RoutingRuleResource {
  return {
    id: rule.id,
    source_bot_id: rule.sourceBotId,
    target_bot_id: rule.targetBotId,
    condition_type: rule.conditionType,
    condition_value: rule.conditionValue,
    action: rule.action,
    ...withoutNulls({ target_chat_id: rule.targetChatId }),
    enabled: rule.enabled,
    delivery: rule.delivery,
    description: rule.description,
    created_at: rule.createdAt.toISOString(),
  };
}
