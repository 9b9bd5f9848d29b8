import { type Kysely, sql } from 'kysely';

/** Backends of programs, and their dead letters, whose reader is `program:<id>`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table programs
      add column backend_url_sealed text not null default '',
      add column secret_token_sealed text not null default '',
      add column backend_certificate text not null default '',
      add column max_connections integer not null default 40`.execute(db);
  // Not valid: existing rows satisfied a narrower check, and a long table is not scanned under a lock.
  await sql`
    alter table dead_letters
      drop constraint dead_letters_reader_check,
      add constraint dead_letters_reader_check
        check (reader in ('push', 'rules', 'history') or reader ~ '^program:[1-9][0-9]*$') not valid`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`delete from dead_letters where reader like 'program:%'`.execute(db);
  await sql`
    alter table dead_letters
      drop constraint dead_letters_reader_check,
      add constraint dead_letters_reader_check check (reader in ('push', 'rules', 'history'))`.execute(db);
  await sql`
    alter table programs
      drop column backend_url_sealed, drop column secret_token_sealed, drop column backend_certificate,
      drop column max_connections`.execute(db);
}
