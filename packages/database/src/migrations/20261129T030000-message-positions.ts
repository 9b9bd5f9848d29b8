import { type Kysely, sql } from 'kysely';

/** Where an event stands among the messages of its second (message-place.ts of the domain); null for messages, whose ids say it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages add column position bigint`.execute(db);
}
