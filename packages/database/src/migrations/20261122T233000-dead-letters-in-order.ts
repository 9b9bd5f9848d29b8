import { type Kysely, sql } from 'kysely';

/** A redrive reads dead letters by bot and reader, in the order of their updates. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists dead_letters_in_order`.execute(db);
  await sql`create index concurrently dead_letters_in_order on dead_letters (bot_id, reader, update_id, id)`.execute(
    db,
  );
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists dead_letters_in_order`.execute(db);
}

export const outsideTransaction = true;
