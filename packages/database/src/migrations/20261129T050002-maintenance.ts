import { type Kysely, sql } from 'kysely';

/** One row while changes are refused for maintenance. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table maintenance (
      single boolean primary key default true check (single),
      reason text not null,
      since timestamptz not null default now()
    )`.execute(db);
}
