import { type Kysely, sql } from 'kysely';

/** The reason and the times of a dead letter in columns of their own; before, only a sentence named them. */
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
