import type { Refusal } from '@flotilla/contract/delivery-jobs.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type Bot, hasBackend, routes } from '../../fleet/bots/bot.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import type { Exact, Scope } from '../../people/accounts/scope.ts';
import { type DeadLetterQuery, deadLetterStore } from './dead-letter-store.ts';
import { parseReader, presentReader } from './reader-name.ts';
import { OFF, REFUSALS_LISTED, REFUSED } from './take-batch.ts';

const BOTS_LISTED = 100;

/** How many dead letters match, up to which id, and of which bots: first those that have most. */
export async function countByBot<Given extends DeadLetterQuery>(
  deps: { db: Database },
  scope: Scope,
  query: Exact<DeadLetterQuery, Given>,
): Promise<Sums> {
  return sumByBot(await deadLetterStore(deps.db).countByReader(scope, query));
}

/** The effect of a redrive under the present configuration. */
export async function countRedrivable<Given extends DeadLetterQuery>(
  deps: { db: Database; directory: BotDirectory },
  scope: Scope,
  query: Exact<DeadLetterQuery, Given>,
): Promise<Sums & { done: 0; refused: number; refusals: Refusal[] }> {
  const groups = await deadLetterStore(deps.db).countByReader(scope, query);
  const refusals = groups.flatMap(({ bot_id, reader, count }) => {
    const code = refusalOf(deps.directory, bot_id, reader);
    if (code === null) return [];
    return [{ bot_id, ...presentReader(reader), count: Number(count), code, reason: REFUSED[code] }];
  });
  return {
    ...{ ...sumByBot(groups), done: 0, refused: totalOf(refusals) },
    refusals: refusals.slice(0, REFUSALS_LISTED),
  };
}

type Counted = { bot_id: number; count: number };
type Sums = { matched: number; bots: Counted[]; upto_id: number };

function sumByBot(groups: (Counted & { newest_id: number })[]): Sums {
  const sums = new Map<number, number>();
  for (const { bot_id: bot, count } of groups) sums.set(bot, (sums.get(bot) ?? 0) + Number(count));
  const bots = [...sums].map(([bot_id, count]) => ({ bot_id, count }));
  bots.sort((one, other) => other.count - one.count || one.bot_id - other.bot_id);
  const upto_id = groups.reduce((largest, { newest_id: id }) => Math.max(largest, Number(id)), 0);
  return { matched: totalOf(groups), bots: bots.slice(0, BOTS_LISTED), upto_id };
}

function totalOf(counted: { count: number }[]): number {
  return counted.reduce((sum, { count }) => sum + Number(count), 0);
}

function refusalOf(directory: BotDirectory, botId: number, name: string): keyof typeof REFUSED | null {
  const { reader, program_id } = parseReader(name);
  if (reader === 'history') return 'history';
  const bot = directory.byId(botId);
  if (bot === undefined) return 'bot_deleted';
  return hasReader(bot, reader, program_id) ? null : OFF[reader];
}

/** A letter redriven to a disabled bot waits until it is enabled. */
function hasReader(bot: Bot, reader: keyof typeof OFF, programId: number | null): boolean {
  switch (reader) {
    case 'push':
      return hasBackend(bot) || bot.long_poll_enabled;
    case 'rules':
      return routes(bot);
    case 'program':
      return bot.programs.some(({ id }) => id === programId);
  }
}
