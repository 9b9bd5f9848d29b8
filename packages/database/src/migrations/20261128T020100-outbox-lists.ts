// contract: no release has read outbox_keys; keys belong to an author from the first one on.
import { type Kysely, sql } from 'kysely';

/** An index cannot be built concurrently inside a transaction. */
export const outsideTransaction = true;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists outbox_author_keys`.execute(db);
  await sql`
    create unique index concurrently outbox_author_keys on outbox (bot_id, author, idempotency_key)
    where idempotency_key is not null`.execute(db);
  await sql`drop index concurrently if exists outbox_keys`.execute(db);
  // For the room of each author.
  await sql`drop index concurrently if exists outbox_waiting`.execute(db);
  await sql`
    create index concurrently outbox_waiting on outbox (bot_id, author)
    where settled_at is null and broadcast_id is null`.execute(db);
  // For lists of one state. Nearly all entries were sent, so these are few.
  await sql`drop index concurrently if exists outbox_of_state`.execute(db);
  await sql`
    create index concurrently outbox_of_state on outbox (bot_id, state, id desc)
    where state not in ('sending', 'sent')`.execute(db);
  await sql`drop index concurrently if exists outbox_of_state_in_fleet`.execute(db);
  await sql`
    create index concurrently outbox_of_state_in_fleet on outbox (state, id desc)
    where state not in ('sending', 'sent')`.execute(db);
  // For lists of what one author or one priority added.
  await sql`drop index concurrently if exists outbox_of_creator`.execute(db);
  await sql`
    create index concurrently outbox_of_creator
    on outbox (bot_id, (coalesce(created_by ->> 'username', created_by ->> 'program')), id desc)`.execute(db);
  await sql`drop index concurrently if exists outbox_of_priority`.execute(db);
  await sql`
    create index concurrently outbox_of_priority on outbox (bot_id, priority, id desc)
    where priority <> 'bulk'`.execute(db);
  // What is held expires, too.
  await sql`drop index concurrently if exists outbox_giving_up`.execute(db);
  await sql`
    create index concurrently outbox_giving_up on outbox (expires_at)
    where state in ('scheduled', 'queued', 'held') and expires_at is not null`.execute(db);
  await sql`drop index concurrently if exists outbox_expiring`.execute(db);
}
