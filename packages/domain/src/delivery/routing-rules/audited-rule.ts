import type { AuditAction } from '@flotilla/contract/audit-actions.ts';
import type { AuditedAction } from '../../people/audit/audited-action.ts';
import { describeChanges, describeNew } from '../../people/audit/describe-changes.ts';
import type { RoutingRule } from './routing-rule.ts';
import { rowOf } from './routing-rule-store.ts';

/** The audit entry of a changed rule, under its present source bot; without `before` it describes the whole rule. */
export function auditedRule(action: AuditAction, rule: RoutingRule, before?: RoutingRule): AuditedAction {
  const after = rowOf(rule);
  const changes = before === undefined ? describeNew(after) : describeChanges(rowOf(before), after);
  return { action, bot_id: rule.source_bot_id, details: `route ${rule.id}${changes === '' ? '' : `; ${changes}`}` };
}
