import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { shardKeys, shardOf } from '@flotilla/redis/keys.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { LineCursor } from '../../records/journal/read-lines.ts';
import { type AttemptQuery, type ListedAttempt, listAttempts } from './list-attempts.ts';

type Deps = { db: Database; redis: RedisHandles };

export type AttemptOfBot = ListedAttempt & { botId: number };
/** The last attempt of a page. */
export type FleetCursor = readonly [atMs: number, botId: number, id: string];

/** One page looks through the journals of so many bots: those of which an attempt failed last. */
const MOST_BOTS = 100;
const BOTS_AT_ONCE = 10;

/**
 * The failed attempts of several bots, newest first, and where to go on. Redis knows when an attempt of a bot failed last,
 * so a page reads no more journals than it needs.
 */
export async function listFailedAttempts(
  deps: Deps,
  bots: readonly Bot[],
  query: Omit<AttemptQuery, 'ok' | 'withDropped'>,
  { limit, before }: { limit: number; before: FleetCursor | null },
): Promise<{ attempts: AttemptOfBot[]; next: FleetCursor | null }> {
  const failing = (await failingBots(deps.redis, bots)).slice(0, MOST_BOTS);
  const found: AttemptOfBot[] = [];
  // What is older than this may be missing of a bot.
  let knownFromMs = 0;
  for (let first = 0; first < failing.length; first += BOTS_AT_ONCE) {
    const further = failing[first]!.lastMs;
    if (found.length > limit && found[limit]!.atMs > further) break;
    const pages = await Promise.all(
      failing.slice(first, first + BOTS_AT_ONCE).map(async ({ bot }) => {
        const page = { limit: limit + 1, before: cursorOf(bot.id, before) };
        const { attempts, next } = await listAttempts(deps, bot, { ...query, ok: false }, page);
        return { attempts: attempts.map((attempt) => ({ ...attempt, botId: bot.id })), next };
      }),
    );
    for (const { attempts, next } of pages) {
      found.push(...attempts);
      knownFromMs = Math.max(knownFromMs, next?.[0] ?? 0);
    }
    found.sort(newestFirst);
  }
  return pageOf(found, limit, knownFromMs);
}

/** The bots of which an attempt ever failed, the last failure first. */
async function failingBots(redis: RedisHandles, bots: readonly Bot[]): Promise<{ bot: Bot; lastMs: number }[]> {
  const ofShards = [...Map.groupBy(bots, ({ id }) => shardOf(id))];
  const scores = (await redis.runMany(
    ofShards.map(([shard, some]) => ['zmscore', shardKeys(shard).failing, ...some.map(({ id }) => id)]),
  )) as (string | null)[][];
  return ofShards
    .flatMap(([, some], at) => some.map((bot, index) => ({ bot, lastMs: Number(scores[at]![index] ?? 0) })))
    .filter(({ lastMs }) => lastMs > 0)
    .sort((one, other) => other.lastMs - one.lastMs);
}

/** Where a bot goes on: of the same millisecond, those of bots with a higher id come first. */
function cursorOf(botId: number, before: FleetCursor | null): LineCursor | null {
  if (before === null) return null;
  const [atMs, lastBotId, id] = before;
  if (botId === lastBotId) return [atMs, id];
  return botId < lastBotId ? [atMs + 1, ''] : [atMs, ''];
}

function newestFirst(one: AttemptOfBot, other: AttemptOfBot): number {
  return other.atMs - one.atMs || other.botId - one.botId;
}

function pageOf(found: AttemptOfBot[], limit: number, knownFromMs: number) {
  const attempts = found.slice(0, limit);
  const last = attempts.at(-1);
  if (found.length > limit && last!.atMs >= knownFromMs) {
    return { attempts, next: [last!.atMs, last!.botId, last!.id] as const };
  }
  if (knownFromMs === 0) return { attempts, next: null };
  const sure = attempts.filter(({ atMs }) => atMs > knownFromMs);
  return { attempts: sure, next: [knownFromMs + 1, 0, ''] as const };
}
