import { type Kysely, sql } from 'kysely';

/** Why and when an update was given up, in columns of their own: so far only a sentence said it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table dead_letters
      add column reason_code text,
      add column first_failed_at timestamptz,
      add column last_failed_at timestamptz,
      add column destinations text`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table dead_letters
      drop column reason_code, drop column first_failed_at, drop column last_failed_at, drop column destinations`.execute(
    db,
  );
}
