import { type Kysely, sql } from 'kysely';

/** Who gave a program its backend and its signing secret, and with which key these and tokens were made. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table program_tokens add column made_by_key bigint`.execute(db);
  await sql`
    alter table programs
      add column backend_by text,
      add column backend_by_key bigint,
      add column signing_by text,
      add column signing_by_key bigint`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table program_tokens drop column made_by_key`.execute(db);
  await sql`
    alter table programs
      drop column backend_by,
      drop column backend_by_key,
      drop column signing_by,
      drop column signing_by_key`.execute(db);
}
