import { type Kysely, sql } from 'kysely';

/** With what an entry was handed over stays known when it is queued again without it: a repeated call is compared with that. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table outbox add column first_expires_at timestamptz`.execute(db);
}
