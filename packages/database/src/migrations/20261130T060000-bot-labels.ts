import { type Kysely, sql } from 'kysely';

/** Words by which people group bots. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bots add column labels jsonb not null default '[]'`.execute(db);
}
