import { type Kysely, sql } from 'kysely';

/** What an account needs beside its password; one that is not confirmed yet counts for nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table second_factors (
      account_id bigint primary key references accounts on delete cascade,
      totp_sealed text not null,
      last_step bigint not null default 0,
      recovery_hashes jsonb not null default '[]',
      confirmed_at timestamptz,
      created_at timestamptz not null default now()
    )`.execute(db);
}
