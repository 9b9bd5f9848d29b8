import type { Database } from '@flotilla/database/connect.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { botStore } from '../../fleet/bots/bot-store.ts';
import type { RoutingRule } from './routing-rule.ts';
import { routingRuleStore } from './routing-rule-store.ts';

/**
 * Locks a rule until the transaction ends, its bots and these `others` first, as the deletion of a bot does. Throws 'not_found'.
 */
export async function lockRule(db: Database, id: number, others: readonly number[] = []): Promise<RoutingRule> {
  const rules = routingRuleStore(db);
  const found = await rules.find(id);
  if (found !== null) await botStore(db).lockAll([found.source_bot_id, found.target_bot_id, ...others]);
  const rule = found && (await rules.lock(id));
  if (rule === null) throw new FlotillaError('not_found', 'Route not found');
  return rule;
}
