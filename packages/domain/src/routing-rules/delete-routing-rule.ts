import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { routingRuleStore } from './routing-rule-store.ts';

/** Deletes a rule. Throws 'not_found'. */
export async function deleteRoutingRule({ db }: { db: Database }, id: number): Promise<void> {
  if (!(await routingRuleStore(db).remove(id))) throw new FlotillaError('not_found', 'Route not found');
}
