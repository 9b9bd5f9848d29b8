import { type Kysely, sql } from 'kysely';

/** Since when every process can know that a bot leaves its server, and the server that a move gave up on its way. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bot_moves add column known_since timestamptz, add column logs_out_of text`.execute(db);
}
