import type { Database } from '@flotilla/database/connect.ts';
import type { Actor } from '../../people/audit/actor.ts';
import type { AuditedAction } from '../../people/audit/audited-action.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import type { BotDeps } from './bot-deps.ts';
import { botStore } from './bot-store.ts';
import type { Dropped } from './cursor-change.ts';
import { republishBots } from './republish-bots.ts';

type Written<Result> = { result: Result; botIds: number[]; audited: AuditedAction; drop?: Dropped };

/** Dependencies of changing rules, programs and signing secrets. */
export type ChangeRulesDeps = Pick<BotDeps, 'db' | 'redis' | 'secrets' | 'directory' | 'clock' | 'turns'>;

/**
 * Changes rules, programs or signing secrets, the revisions of their bots and the audit log in one transaction, then
 * notifies every process. `write` returns the affected bots (of a rule its source and target, before and after the
 * change), the action for the audit log, and what is dropped.
 */
export async function changeRules<Result>(
  deps: ChangeRulesDeps,
  by: Actor,
  write: (db: Database) => Promise<Written<Result>>,
): Promise<Result> {
  const { result, botIds, drop } = await deps.db.transaction().execute(async (transaction) => {
    const written = await write(transaction);
    await botStore(transaction).touch(written.botIds);
    await recordAction({ db: transaction, clock: deps.clock }, by, written.audited);
    return written;
  });
  await republishBots(deps, [...new Set(botIds)], drop);
  return result;
}
