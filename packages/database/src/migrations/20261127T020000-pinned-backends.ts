import { type Kysely, sql } from 'kysely';

/** The `ip_address` of setWebhook. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bots add column backend_ip_address text not null default ''`.execute(db);
  await sql`alter table programs add column backend_ip_address text not null default ''`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table programs drop column backend_ip_address`.execute(db);
  await sql`alter table bots drop column backend_ip_address`.execute(db);
}
