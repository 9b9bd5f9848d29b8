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

/**
 * A page reads the journals of bots that failed after its begin, because they may have failed before it too, and of so many others:
 * with a filter they may have none of what is asked for. Without one, fewer fill the longest page.
 */
const MOST_OTHERS = 600;
const BOTS_AT_ONCE = 10;

/**
 * The failed attempts of several bots, newest first, and where to go on. Redis knows when an attempt of a bot failed last,
 * so a page reads no more journals than it needs. Replayed copies are left out, since they count nowhere.
 */
export async function listFailedAttempts(
  deps: Deps,
  bots: readonly Bot[],
  query: Omit<AttemptQuery, 'ok' | 'withDropped'>,
  { limit, before }: { limit: number; before: FleetCursor | null },
  signal: AbortSignal,
): Promise<{ attempts: AttemptOfBot[]; next: FleetCursor | null }> {
  const { sinceMs = 0 } = query;
  const failing = await failingBots(deps.redis, bots, sinceMs);
  const found: AttemptOfBot[] = [];
  const fromMs = before?.[0] ?? Number.POSITIVE_INFINITY;
  const newer = failing.filter(({ lastMs }) => lastMs >= fromMs).length;
  // Failures before this time may be missing.
  let knownFromMs = 0;
  for (let first = 0; first < failing.length; first += BOTS_AT_ONCE) {
    signal.throwIfAborted();
    const further = failing[first]!.lastMs;
    if (found.length > limit && found[limit]!.atMs > further) break;
    // Of bots that failed within the same milliseconds, none is left out, so that the next page begins earlier than this one.
    if (first >= newer + MOST_OTHERS && further + 2 < fromMs) {
      knownFromMs = Math.max(knownFromMs, further + 1);
      break;
    }
    const pages = await Promise.all(
      failing.slice(first, first + BOTS_AT_ONCE).map(async ({ bot }) => {
        const page = { limit: limit + 1, before: cursorOf(bot.id, before) };
        // What is older than a full page has no place on it.
        const since = Math.max(sinceMs, found[limit]?.atMs ?? 0);
        const { attempts, next } = await listAttempts(deps, bot, { ...query, ok: false, sinceMs: since }, page);
        const ofUpdates = attempts.filter(({ replay }) => replay === undefined);
        return { attempts: ofUpdates.map((attempt) => ({ ...attempt, botId: bot.id })), next };
      }),
    );
    for (const { attempts, next } of pages) {
      found.push(...attempts);
      knownFromMs = Math.max(knownFromMs, next?.[0] ?? 0);
    }
    found.sort(newestFirst).splice(limit + 1);
  }
  return pageOf(found, limit, knownFromMs);
}

/** The bots of which an attempt has failed since then, the last failure first. */
async function failingBots(
  redis: RedisHandles,
  bots: readonly Bot[],
  sinceMs: number,
): Promise<{ bot: Bot; lastMs: number }[]> {
  const ofShards = [...Map.groupBy(bots, ({ id }) => shardOf(id))];
  const scores = (await redis.runMany(
    ofShards.map(([shard, some]) => ['zmscore', shardKeys(shard).failing, ...some.map(({ id }) => id)]),
  )) as (string | null)[][];
  return ofShards
    .flatMap(([, some], at) => some.map((bot, index) => ({ bot, lastMs: Number(scores[at]![index] ?? 0) })))
    .filter(({ lastMs }) => lastMs > 0 && lastMs >= sinceMs)
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
