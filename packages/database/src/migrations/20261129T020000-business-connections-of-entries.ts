import { type Kysely, sql } from 'kysely';

/** The business connection in which something happened; '': none, or the chat of the bot itself. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table audit_log add column business_connection_id text not null default ''`.execute(db);
  await sql`alter table events add column business_connection_id text not null default ''`.execute(db);
}
