import { type Kysely, sql } from 'kysely';

/** The labels whose bots an account or a key sees. A key that has some has a list of bots, too, so that older releases show it no more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table accounts add column bot_labels jsonb not null default '[]'`.execute(db);
  await sql`alter table api_keys add column bot_labels jsonb not null default '[]'`.execute(db);
}
