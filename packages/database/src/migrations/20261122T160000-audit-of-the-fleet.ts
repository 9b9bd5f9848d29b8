import { type Kysely, sql } from 'kysely';

/**
 * Audits changes outside of chats as well. An entry may now be about no bot, no chat and nobody who was signed in, and
 * it has the API key and the address of the call.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table audit_log
      alter column bot_id drop not null,
      alter column chat_id drop not null,
      alter column actor_id drop not null,
      add actor_key_id bigint,
      add address text`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`delete from audit_log where bot_id is null or chat_id is null or actor_id is null`.execute(db);
  await sql`
    alter table audit_log
      alter column bot_id set not null,
      alter column chat_id set not null,
      alter column actor_id set not null,
      drop actor_key_id,
      drop address`.execute(db);
}
