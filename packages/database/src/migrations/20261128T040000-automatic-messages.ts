import { type Kysely, sql } from 'kysely';

/** What sent a message that answers nobody, as JSON; null: a person or the bot's program wrote it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages add column automatic json`.execute(db);
}
