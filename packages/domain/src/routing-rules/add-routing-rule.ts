import type { Database } from '@flotilla/database/connect.ts';
import { refuseUnknownBot } from '../bots/refuse-unknown-bot.ts';
import { completeRule, type WantedRule } from './complete-rule.ts';
import type { RoutingRule } from './routing-rule.ts';
import { routingRuleStore } from './routing-rule-store.ts';

/** Adds a rule, which runs after those there are. Throws 'bad_request' naming every fault, or 'not_found' (a bot). */
export async function addRoutingRule({ db }: { db: Database }, wanted: WantedRule): Promise<RoutingRule> {
  return routingRuleStore(db).insert(completeRule(wanted)).catch(refuseUnknownBot);
}
