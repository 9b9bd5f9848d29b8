import { botStore } from '../../fleet/bots/bot-store.ts';
import { type ChangeRulesDeps, changeRules } from '../../fleet/bots/change-rules.ts';
import { refuseUnknownBot } from '../../people/accounts/refuse-unknown-bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { auditedRule } from './audited-rule.ts';
import { completeRule, type WantedRule } from './complete-rule.ts';
import type { RoutingRule } from './routing-rule.ts';
import { routingRuleStore } from './routing-rule-store.ts';

/** Adds a rule, which runs after the existing ones. Throws 'bad_request' naming every fault, or 'not_found' (a bot). */
export async function addRoutingRule(deps: ChangeRulesDeps, by: Actor, wanted: WantedRule): Promise<RoutingRule> {
  const rule = completeRule(deps.directory, wanted);
  return changeRules(deps, by, async (db) => {
    await botStore(db).lockAll([rule.source_bot_id, rule.target_bot_id]);
    const result = await routingRuleStore(db).insert(rule);
    return { result, botIds: [rule.source_bot_id, rule.target_bot_id], audited: auditedRule('route_add', result) };
  }).catch(refuseUnknownBot);
}
