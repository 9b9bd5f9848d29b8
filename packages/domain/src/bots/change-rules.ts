import type { Database } from '@flotilla/database/connect.ts';
import type { Actor } from '../audit/actor.ts';
import type { AuditedAction } from '../audit/audited-action.ts';
import { recordAction } from '../audit/record-action.ts';
import type { BotDeps } from './bot-deps.ts';
import { botStore } from './bot-store.ts';
import { republishBots } from './republish-bots.ts';

type Written<Result> = { result: Result; botIds: number[]; audited: AuditedAction };

/** Dependencies of telling every process about changed rules. */
export type ChangeRulesDeps = Pick<BotDeps, 'db' | 'redis' | 'secrets' | 'directory' | 'clock'>;

/**
 * Changes routes in one transaction with the revisions of the bots they are about and the audit entry, then tells every
 * process. `write` answers those bots (sources and targets, before the change and after it) and what was done.
 */
export async function changeRules<Result>(
  deps: ChangeRulesDeps,
  by: Actor,
  write: (db: Database) => Promise<Written<Result>>,
): Promise<Result> {
  const { result, botIds } = await deps.db.transaction().execute(async (transaction) => {
    const written = await write(transaction);
    await botStore(transaction).touch(written.botIds);
    await recordAction({ db: transaction, clock: deps.clock }, by, written.audited);
    return written;
  });
  await republishBots(deps, [...new Set(botIds)]);
  return result;
}
