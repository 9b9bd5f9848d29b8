// contract: no release has ever read chat_views; the first one has saved views
import { type Kysely, sql } from 'kysely';

/** Views that accounts saved are of a screen: until now all were of the inbox. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table chat_views rename to saved_views`.execute(db);
  await sql`
    alter table saved_views
      add column screen text not null default 'inbox' check (screen in ('inbox', 'fleet')),
      drop constraint chat_views_account_id_name_key,
      add constraint saved_views_name unique (account_id, screen, name)`.execute(db);
}
