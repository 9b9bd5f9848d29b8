import { type Kysely, sql } from 'kysely';

/** Sends whose author lost the right are held, and each author has keys and a share of the room. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table outbox
      add column author text,
      add column bytes integer not null default 0,
      add column released_by jsonb`.execute(db);
  await sql`
    alter table outbox drop constraint outbox_state_check, add constraint outbox_state_check check (state in
      ('scheduled', 'queued', 'held', 'sending', 'sent', 'failed', 'in_doubt', 'cancelled', 'expired')) not valid`.execute(
    db,
  );
  await sql`
    alter table outbox drop constraint outbox_check, add constraint outbox_check
      check ((state in ('scheduled', 'queued', 'held', 'sending')) = (settled_at is null)) not valid`.execute(db);
}
