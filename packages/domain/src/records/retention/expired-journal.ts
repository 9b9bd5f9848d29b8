import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

/** For how long every line of the journal can be read. */
const JOURNAL_MS = 24 * 3_600_000;
/** With the lines in Redis, a thousand of each reader. */
const PAGES_KEPT = 9;

export const journalExpiresAt = (nowMs: number): Date => new Date(nowMs - JOURNAL_MS);

/** Pages whose newest line is from before a time, but for the newest ones of each reader that there is. */
const expiredPages = (before: Date) => sql`
  from journal_pages old
  where old.newest_at < ${before} and (
    (select count(*) from (
      select from journal_pages newer
      where newer.bot_id = old.bot_id and newer.reader = old.reader and newer.newest_at > old.newest_at
      limit ${PAGES_KEPT}) as newest) >= ${PAGES_KEPT}
    or (old.reader like 'program:%'
      and not exists (select from programs where id = split_part(old.reader, ':', 2)::bigint)))`;

/** Most old pages of quiet readers are kept, so an estimate of the planner would be far too high. */
export async function countExpiredJournal(db: Database, before: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count ${expiredPages(before)}`.execute(db);
  return Number(rows[0]!.count);
}

/** Removes expired pages, oldest first; returns how many. */
export async function removeExpiredJournal(db: Database, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from journal_pages where key = any (array(
      select old.key ${expiredPages(before)} order by old.newest_at limit ${limit}))`.execute(db);
  return Number(numAffectedRows ?? 0);
}
