import { type ChangeRulesDeps, changeRules } from '../../fleet/bots/change-rules.ts';
import { refuseUnknownBot } from '../../people/accounts/refuse-unknown-bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { auditedRule } from './audited-rule.ts';
import { completeRule } from './complete-rule.ts';
import { lockRule } from './lock-rule.ts';
import type { RoutingRule, RoutingRuleChanges } from './routing-rule.ts';
import { routingRuleStore } from './routing-rule-store.ts';

/**
 * Changes the named fields. `check` refuses what the change would meet. Throws 'not_found' (the rule or a bot) or 'bad_request' naming every fault of the result.
 */
export async function updateRoutingRule(
  deps: ChangeRulesDeps,
  by: Actor,
  id: number,
  changes: RoutingRuleChanges,
  check?: (before: RoutingRule) => void,
): Promise<RoutingRule> {
  const named = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return changeRules(deps, by, async (db) => {
    const others = [changes.source_bot_id, changes.target_bot_id].filter((botId) => botId !== undefined);
    const before = await lockRule(db, id, others);
    check?.(before);
    const result = await routingRuleStore(db).update(
      id,
      completeRule(deps.directory, { ...before, ...named }, before.candidate_bot_ids),
    );
    const botIds = [before, result].flatMap((rule) => [rule.source_bot_id, rule.target_bot_id]);
    return { result, botIds, audited: auditedRule('route_update', result, before) };
  }).catch(refuseUnknownBot);
}
