import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { refuseUnknownBot } from '../bots/refuse-unknown-bot.ts';
import { completeRule } from './complete-rule.ts';
import type { RoutingRule, RoutingRuleChanges } from './routing-rule.ts';
import { routingRuleStore } from './routing-rule-store.ts';

/** Changes what is named. Throws 'not_found' (the rule or a bot) or 'bad_request' naming every fault of the result. */
export async function updateRoutingRule(
  { db }: { db: Database },
  id: number,
  changes: RoutingRuleChanges,
): Promise<RoutingRule> {
  const named = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return db.transaction().execute(async (transaction) => {
    const rules = routingRuleStore(transaction);
    const rule = await rules.lock(id);
    if (rule === null) throw new FlotillaError('not_found', 'Route not found');
    return rules.update(id, completeRule({ ...rule, ...named })).catch(refuseUnknownBot);
  });
}
