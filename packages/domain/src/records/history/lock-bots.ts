import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import type { HistoryBot } from './effects/history-effect.ts';

/** Reads the bots with these ids and locks them against deletion until the transaction ends. */
export async function lockBots(db: Database, ids: number[]): Promise<Map<number, HistoryBot>> {
  const { rows } = await sql<HistoryBot>`
    select id, telegram_id, name, username, registration_id, manage_enabled
    from bots where id = any(${ids}::bigint[]) order by id for key share`.execute(db);
  return new Map(rows.map((bot) => [bot.id, bot]));
}
