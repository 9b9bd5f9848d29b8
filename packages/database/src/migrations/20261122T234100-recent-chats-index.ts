import { type Kysely, sql } from 'kysely';

export const outsideTransaction = true;

/**
 * For the chats of all bots, the last message first. It has the period of that message and not its date, so that most
 * updates of a chat still touch no index. Chats that are not filled in yet are at its end.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists chats_recent`.execute(db);
  await sql`create index concurrently chats_recent on chats (last_period desc nulls last)`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists chats_recent`.execute(db);
}
