import type { Database } from '@flotilla/database/connect.ts';
import type { BotDeps } from './bot-deps.ts';
import { botStore } from './bot-store.ts';
import { republishBots } from './republish-bots.ts';

/** What telling every process of changed rules needs. */
export type ChangeRulesDeps = Pick<BotDeps, 'db' | 'redis' | 'secrets' | 'directory' | 'clock'>;

/**
 * Changes routes in one transaction with the revisions of the bots they are about, then tells every process.
 * `write` answers those bots: sources and targets, before the change and after it.
 */
export async function changeRules<Result>(
  deps: ChangeRulesDeps,
  write: (db: Database) => Promise<{ result: Result; botIds: number[] }>,
): Promise<Result> {
  const { result, botIds } = await deps.db.transaction().execute(async (transaction) => {
    const written = await write(transaction);
    await botStore(transaction).touch(written.botIds);
    return written;
  });
  await republishBots(deps, [...new Set(botIds)]);
  return result;
}
