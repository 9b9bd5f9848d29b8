import { type Kysely, sql } from 'kysely';

/**
 * The form by which usernames are compared (username-key.ts). JavaScript makes it, because Postgres folds letters by
 * its locale. The api fills it in; null marks a row that an earlier release wrote.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table accounts add column username_key text`.execute(db);
  // An earlier release sets a name without its key, so the trigger clears it. This release sets the key afterwards.
  await sql`
    create function forget_username_key() returns trigger language plpgsql as $$
    begin
      new.username_key := null;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger accounts_renamed before update of username on accounts
      for each row when (new.username is distinct from old.username) execute function forget_username_key()`.execute(
    db,
  );
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger accounts_renamed on accounts`.execute(db);
  await sql`drop function forget_username_key`.execute(db);
  await sql`alter table accounts drop column username_key`.execute(db);
}
