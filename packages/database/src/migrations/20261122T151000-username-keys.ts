import { type Kysely, sql } from 'kysely';

/**
 * The one form that usernames are compared by (username-key.ts): in JavaScript, since Postgres folds letters as its
 * locale has it. The api fills it in; null is a row that an earlier release wrote.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table accounts add column username_key text`.execute(db);
  // An earlier release gives a name and leaves the key of the old one: whoever knows of keys sets it after the name.
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
