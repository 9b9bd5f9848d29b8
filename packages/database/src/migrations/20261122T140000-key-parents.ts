import { type Kysely, sql } from 'kysely';

/** Adds the key that made a key. A key ends with its parent. Older keys and those of a session have no parent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_keys add column parent_id bigint`.execute(db);
  // The previous release knows no parents. The cascade makes it delete a key's descendants too.
  await sql`
    alter table api_keys add constraint api_keys_parent
      foreign key (parent_id) references api_keys on delete cascade not valid`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_keys drop column parent_id`.execute(db);
}
