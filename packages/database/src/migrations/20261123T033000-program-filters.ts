import { type Kysely, sql } from 'kysely';

/** Filters of programs, and which programs take updates alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table programs
      add column filter text not null default '{}',
      add column exclusive boolean not null default false,
      add column position integer not null default 100`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table programs drop column filter, drop column exclusive, drop column position`.execute(db);
}
