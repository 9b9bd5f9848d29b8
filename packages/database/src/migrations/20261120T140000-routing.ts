import { type Kysely, sql } from 'kysely';

/** Adds the delivery mode of rules, and business connections, in which message ids have a series of their own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table routes add delivery text not null default 'at_least_once'
      check (delivery in ('at_least_once', 'at_most_once'))`.execute(db);
  await sql`
    alter table route_links
      add target_business_connection_id text not null default '',
      add source_business_connection_id text not null default '',
      drop constraint route_links_pkey,
      add primary key (target_bot_id, target_chat_id, target_message_id, target_business_connection_id)`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table routes drop delivery`.execute(db);
  await sql`delete from route_links where target_business_connection_id <> ''`.execute(db);
  await sql`
    alter table route_links
      drop constraint route_links_pkey,
      drop target_business_connection_id,
      drop source_business_connection_id,
      add primary key (target_bot_id, target_chat_id, target_message_id)`.execute(db);
}
