import { type Kysely, sql } from 'kysely';

/** Update ids up to this one may have been given out. New ids begin above it when Redis has lost its own record. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bots add column reserved_update_id bigint not null default 0`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bots drop column reserved_update_id`.execute(db);
}
