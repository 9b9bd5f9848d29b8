import { type Kysely, sql } from 'kysely';

/** The chat of a dead letter, so that those of some chats are found among many. 0: its update has none; null: of a row from before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table dead_letters add column chat_id bigint`.execute(db);
}
