import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

/** Makes a bot as old as if it had been added then. Processes hear of it with its next change. */
export async function dateBot(db: Database, botId: number, addedAtMs: number): Promise<void> {
  await sql`update bots set created_at = ${new Date(addedAtMs)} where id = ${botId}`.execute(db);
}
