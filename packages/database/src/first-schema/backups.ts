import { type Kysely, sql } from 'kysely';

/** What backups were made of this database, for the alert about an old one. */
export async function createBackups(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table backups (
      taken_at timestamptz primary key default now(),
      bytes bigint not null default 0
    )`.execute(db);
}
