import { type Kysely, sql } from 'kysely';

/** One row: which installation the database belongs to, and in which database that row was written. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table installation (
      single boolean primary key default true check (single),
      id text not null default gen_random_uuid()::text,
      server text,
      database_oid bigint,
      timeline text,
      restored_from text,
      takes_redis boolean not null default false,
      quarantined_at timestamptz
    )`.execute(db);
}
