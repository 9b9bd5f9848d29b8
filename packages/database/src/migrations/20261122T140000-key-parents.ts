import { type Kysely, sql } from 'kysely';

/** Which key made a key: with that one it ends. Keys made before this, and those a session made, have none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_keys add column parent_id bigint`.execute(db);
  // Also the previous release, which knows nothing of parents, removes with a key what that has made.
  await sql`
    alter table api_keys add constraint api_keys_parent
      foreign key (parent_id) references api_keys on delete cascade not valid`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_keys drop column parent_id`.execute(db);
}
