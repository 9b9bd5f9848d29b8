import type { AuditAction } from '@flotilla/contract/audit-actions.ts';
import type { AuditedAction } from '../audit/audited-action.ts';
import { describeChanges, describeNew } from '../audit/describe-changes.ts';
import type { RoutingRule } from './routing-rule.ts';

/** The audit entry of a changed rule, under its present source bot; without `before` it describes the whole rule. */
export function auditedRule(action: AuditAction, rule: RoutingRule, before?: RoutingRule): AuditedAction {
  const after = auditedFields(rule);
  const changes = before === undefined ? describeNew(after) : describeChanges(auditedFields(before), after);
  return { action, botId: rule.sourceBotId, details: `route ${rule.id}${changes === '' ? '' : `; ${changes}`}` };
}

/** Uses the field names of the REST interface. */
function auditedFields(rule: RoutingRule) {
  return {
    source_bot_id: rule.sourceBotId,
    target_bot_id: rule.targetBotId,
    condition_type: rule.conditionType,
    condition_value: rule.conditionValue,
    action: rule.action,
    target_chat_id: rule.targetChatId,
    enabled: rule.enabled,
    delivery: rule.delivery,
    description: rule.description,
  };
}
