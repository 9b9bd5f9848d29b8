import { type Kysely, sql } from 'kysely';

/** Secrets that sign deliveries to backends. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bots add column signing_sealed text not null default ''`.execute(db);
  await sql`alter table programs add column signing_sealed text not null default ''`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bots drop column signing_sealed`.execute(db);
  await sql`alter table programs drop column signing_sealed`.execute(db);
}
