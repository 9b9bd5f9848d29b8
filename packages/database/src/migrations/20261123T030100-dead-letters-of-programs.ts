import { type Kysely, sql } from 'kysely';

/** The reader of a dead letter may be a program: `program:<id>`. */
// contract: the check that goes is replaced by one that allows more, so the previous release loses nothing
export async function up(db: Kysely<unknown>): Promise<void> {
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
}
