import { type Kysely, sql } from 'kysely';

/** An index cannot be built concurrently inside a transaction. */
export const outsideTransaction = true;

/** For lists and counts: what they look for is in one range of an index for each bot and state, in the order of ids. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists outbox_by_state`.execute(db);
  await sql`create index concurrently outbox_by_state on outbox (bot_id, state, id)`.execute(db);
  await sql`drop index concurrently if exists outbox_by_chat`.execute(db);
  await sql`create index concurrently outbox_by_chat on outbox (chat_id, bot_id, state, id)`.execute(db);
  await sql`drop index concurrently if exists outbox_by_creator`.execute(db);
  await sql`create index concurrently outbox_by_creator on outbox ((coalesce(created_by ->> 'username', created_by ->> 'program')), bot_id, state, id)`.execute(
    db,
  );
  await sql`drop index concurrently if exists outbox_by_priority`.execute(db);
  await sql`create index concurrently outbox_by_priority on outbox (priority, bot_id, state, id)`.execute(db);
  await sql`drop index concurrently if exists outbox_by_state_in_fleet`.execute(db);
  await sql`create index concurrently outbox_by_state_in_fleet on outbox (state, id)`.execute(db);
  await sql`drop index concurrently if exists outbox_of_bot`.execute(db);
  await sql`drop index concurrently if exists outbox_of_chat`.execute(db);
  await sql`drop index concurrently if exists outbox_of_creator`.execute(db);
  await sql`drop index concurrently if exists outbox_of_priority`.execute(db);
  await sql`drop index concurrently if exists outbox_of_state`.execute(db);
  await sql`drop index concurrently if exists outbox_of_state_in_fleet`.execute(db);
}
