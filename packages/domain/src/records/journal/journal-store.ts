import type { Database } from '@flotilla/database/connect.ts';
import type { JournalPagesTable } from '@flotilla/database/tables.ts';
import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { LinesEntry } from '../history/stream/history-codec.ts';

export type PageRow = Insertable<JournalPagesTable>;

/** Which lines of these readers are wanted; a page may also have others. */
export type LineFilter = {
  update_id?: number | undefined;
  chat_id?: number | undefined;
  ok?: boolean | undefined;
  /** Both included. */
  status?: { from: number; to: number } | undefined;
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
};

const START = /^(\d+) (\d+) /;
const FAILED = /^(?:\S+ ){8}-/;

/** The row of a page: its lines, and by what they can be found. */
export function pageOf({ key, botId, reader, atMs, lines }: LinesEntry): PageRow {
  const shown = lines.replaceAll('\0', '').toWellFormed();
  let [oldest, newest, first, last, failed] = [atMs, 0, Number.MAX_SAFE_INTEGER, 0, 0];
  for (const line of shown.split('\n')) {
    const [, at, update] = START.exec(line) ?? [];
    if (at === undefined) continue;
    [oldest, newest] = [Math.min(oldest, Number(at)), Math.max(newest, Number(at))];
    [first, last] = [Math.min(first, Number(update)), Math.max(last, Number(update))];
    if (reader !== 'intake' && FAILED.test(line)) failed += 1;
  }
  return {
    ...{ key, bot_id: botId, reader, newest_at: new Date(newest), oldest_at: new Date(oldest) },
    ...{ first_update_id: first, last_update_id: last, failed, lines: shown },
  };
}

/** SQL of `journal_pages`. */
export function journalStore(db: Database) {
  return {
    /** One that is there already is not added again. */
    async add(rows: PageRow[]): Promise<void> {
      await db
        .insertInto('journal_pages')
        .values(rows)
        .onConflict((conflict) => conflict.column('key').doNothing())
        .execute();
    },

    /**
     * Pages of these readers that may have such lines, by their newest line, newest first, after the page with that one. The bot
     * is checked by the caller.
     */
    async list(
      { botId, readers, filter }: { botId: number; readers: readonly string[]; filter: LineFilter },
      after: { newest_at: Date; key: string } | null,
      limit: number,
    ): Promise<Pick<JournalPagesTable, 'key' | 'reader' | 'newest_at' | 'lines'>[]> {
      let pages = db
        .selectFrom('journal_pages')
        .select(['key', 'reader', 'newest_at', 'lines'])
        .where('bot_id', '=', botId)
        .where('reader', 'in', [...readers]);
      for (const condition of conditionsOf(filter)) pages = pages.where(condition);
      if (after !== null) {
        pages = pages.where(sql<boolean>`(newest_at, key) < (${after.newest_at}::timestamptz, ${after.key})`);
      }
      return pages.orderBy('newest_at', 'desc').orderBy('key', 'desc').limit(limit).execute();
    },
  };
}

function conditionsOf(filter: LineFilter): RawBuilder<boolean>[] {
  const { update_id, chat_id, ok, status, sinceMs, untilMs } = filter;
  const conditions: RawBuilder<boolean>[] = [];
  // A number may also be the value of another field, so the caller looks at the lines.
  const containing = (value: number) => sql<boolean>`strpos(lines, ${` ${value} `}) > 0`;
  if (update_id !== undefined) {
    conditions.push(sql`${update_id} between first_update_id and last_update_id`, containing(update_id));
  }
  if (chat_id !== undefined) conditions.push(containing(chat_id));
  if (status !== undefined && status.from === status.to) conditions.push(containing(status.from));
  if (ok === false) conditions.push(sql`failed > 0`);
  if (sinceMs !== undefined) conditions.push(sql`newest_at >= ${new Date(sinceMs)}`);
  if (untilMs !== undefined) conditions.push(sql`oldest_at < ${new Date(untilMs)}`);
  return conditions;
}
