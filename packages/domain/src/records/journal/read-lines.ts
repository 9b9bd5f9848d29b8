import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { journalStore, type LineFilter } from './journal-store.ts';

/** Where the lines of a reader are: its newest ones in this list of Redis, the others under its name in Postgres. */
export type JournalSource = { reader: string; list: string };

/** `id` tells lines of the same millisecond apart, and orders them: first by a number with which it begins. */
type Found = { atMs: number; id: string };
/** The last line of a page. */
export type LineCursor = readonly [atMs: number, id: string];
type Query = { botId: number; sources: readonly JournalSource[]; filter: LineFilter };

const PAGES_AT_ONCE = 20;
/** A call looks at a hundred thousand lines at most; the next one goes on behind them. */
const LOOKS = 50;

/**
 * The newest lines, newest first, of which `read` makes something; it gives null for a line that is not wanted. `next` is where to
 * go on, null if nothing is behind. Lines that are on their way to Postgres, for a second or two, are left out.
 */
export async function readLines<Line extends Found>(
  deps: { db: Database; redis: RedisHandles },
  query: Query,
  read: (reader: string, line: string) => Line | null,
  { limit, before }: { limit: number; before: LineCursor | null },
): Promise<{ lines: Line[]; next: LineCursor | null }> {
  const { botId, sources } = query;
  const lists = (await deps.redis.runMany(sources.map(({ list }) => ['lrange', list, 0, -1]))) as string[][];
  const untilMs = Math.min(
    query.filter.untilMs ?? Number.POSITIVE_INFINITY,
    (before?.[0] ?? Number.POSITIVE_INFINITY) + 1,
  );
  const filter = Number.isFinite(untilMs) ? { ...query.filter, untilMs } : query.filter;
  const found: Line[] = [];
  const seen = new Set<string>();
  const add = (reader: string, line: string) => {
    const one = read(reader, line);
    if (one === null || (before !== null && !isBehind(one, before))) return;
    // A page may have gone to Postgres since its list was read.
    const name = `${one.id} ${one.atMs}`;
    if (!seen.has(name)) found.push(one);
    seen.add(name);
  };
  for (const [at, lines] of lists.entries()) for (const line of lines) add(sources[at]!.reader, line);
  const readers = sources.map(({ reader }) => reader);
  let last: { newest_at: Date; key: string } | null = null;
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const pages = await journalStore(deps.db).list({ botId, readers, filter }, last, PAGES_AT_ONCE);
    for (const { reader, lines } of pages) for (const line of lines.split('\n')) add(reader, line);
    const end = pages.at(-1);
    found.sort(newestFirst);
    if (end === undefined || pages.length < PAGES_AT_ONCE) return pageOf(found, limit);
    last = { newest_at: end.newest_at, key: end.key };
    // All lines behind are older than the newest one of this page.
    const isWhole = found.length > limit && found[limit]!.atMs > end.newest_at.getTime();
    if (isWhole) return pageOf(found, limit);
  }
  const until = last!.newest_at.getTime();
  const sure = found.filter(({ atMs }) => atMs > until);
  return sure.length > limit ? pageOf(sure, limit) : { lines: sure, next: [until + 1, ''] };
}

function pageOf<Line extends Found>(found: Line[], limit: number): { lines: Line[]; next: LineCursor | null } {
  const lines = found.slice(0, limit);
  const last = lines.at(-1);
  return { lines, next: found.length > limit && last !== undefined ? [last.atMs, last.id] : null };
}

function newestFirst(one: Found, other: Found): number {
  return other.atMs - one.atMs || compareIds(other.id, one.id);
}

function compareIds(one: string, other: string): number {
  return Number.parseInt(one, 10) - Number.parseInt(other, 10) || (one < other ? -1 : one > other ? 1 : 0);
}

function isBehind(one: Found, [atMs, id]: LineCursor): boolean {
  return one.atMs < atMs || (one.atMs === atMs && compareIds(one.id, id) < 0);
}
