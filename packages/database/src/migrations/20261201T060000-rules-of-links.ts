import { type Kysely, sql } from 'kysely';

/** The rule that sent a routed message, so that its source can tell which rule took it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table route_links add column route_id bigint`.execute(db);
}
