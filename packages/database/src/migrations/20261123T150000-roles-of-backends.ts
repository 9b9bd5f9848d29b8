import { type Kysely, sql } from 'kysely';

/** The role of who gave a program its backend by REST. Of older backends it is not known, so they get the lesser one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table programs add column backend_role text not null default 'user'`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table programs drop column backend_role`.execute(db);
}
