import { type Kysely, sql } from 'kysely';

/** Backends of programs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table programs
      add column backend_url_sealed text not null default '',
      add column secret_token_sealed text not null default '',
      add column backend_certificate text not null default '',
      add column max_connections integer not null default 40`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table programs
      drop column backend_url_sealed, drop column secret_token_sealed, drop column backend_certificate,
      drop column max_connections`.execute(db);
}
