import { type Kysely, sql } from 'kysely';

/** The supergroup that a group became. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table chats add column migrated_to_chat_id bigint`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table chats drop column migrated_to_chat_id`.execute(db);
}
