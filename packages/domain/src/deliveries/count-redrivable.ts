import type { Refusal } from '@flotilla/contract/deliveries.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { pushes, routes } from '../bots/bot.ts';
import type { BotDirectory } from '../bots/bot-directory.ts';
import { type DeadLetterQuery, deadLetterStore } from './dead-letter-store.ts';
import { REFUSALS_LISTED, REFUSED } from './take-batch.ts';

/** What a redrive would do, by the configuration of now. */
export async function countRedrivable(
  deps: { db: Database; directory: BotDirectory },
  query: DeadLetterQuery,
): Promise<{ matched: number; done: 0; refused: number; refusals: Refusal[] }> {
  const groups = await deadLetterStore(deps.db).countByReader(query);
  const refusals = groups.flatMap(({ bot_id, reader, count }) => {
    const reason = refusalOf(deps.directory, bot_id, reader);
    return reason === null ? [] : [{ bot_id, reader: reader as Refusal['reader'], count: Number(count), reason }];
  });
  const total = (counted: { count: number }[]) => counted.reduce((sum, { count }) => sum + Number(count), 0);
  return { matched: total(groups), done: 0, refused: total(refusals), refusals: refusals.slice(0, REFUSALS_LISTED) };
}

function refusalOf(directory: BotDirectory, botId: number, reader: string): string | null {
  if (reader !== 'push' && reader !== 'rules') return REFUSED.history;
  const bot = directory.byId(botId);
  if (bot === undefined) return REFUSED.deleted;
  // What is put back for a disabled bot waits until it is enabled.
  const enabled = { ...bot, disabled: false };
  return (reader === 'push' ? pushes(enabled) : routes(enabled)) ? null : REFUSED[reader];
}
