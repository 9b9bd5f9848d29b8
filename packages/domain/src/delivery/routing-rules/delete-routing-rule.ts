import { type ChangeRulesDeps, changeRules } from '../../fleet/bots/change-rules.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { auditedRule } from './audited-rule.ts';
import { lockRule } from './lock-rule.ts';
import type { RoutingRule } from './routing-rule.ts';
import { routingRuleStore } from './routing-rule-store.ts';

/** Deletes a rule. Throws 'not_found'. */
export async function deleteRoutingRule(
  deps: ChangeRulesDeps,
  by: Actor,
  id: number,
  check?: (rule: RoutingRule) => void,
): Promise<void> {
  await changeRules(deps, by, async (db) => {
    const rule = await lockRule(db, id);
    check?.(rule);
    await routingRuleStore(db).remove(id);
    const audited = auditedRule('route_delete', rule);
    return { result: undefined, botIds: [rule.source_bot_id, rule.target_bot_id], audited };
  });
}
