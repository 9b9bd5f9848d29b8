import { type Kysely, sql } from 'kysely';

/** The id that Redis may still hold, after an installation took over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table installation add column former_id text`.execute(db);
}
