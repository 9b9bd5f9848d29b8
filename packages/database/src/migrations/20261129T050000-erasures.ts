import { type Kysely, sql } from 'kysely';

/** People whose data workers remove. A row goes when nothing of its person is left. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table erasures (
      id bigint generated always as identity primary key,
      user_id bigint not null unique,
      actor jsonb not null,
      created_at timestamptz not null default now(),
      passed_at timestamptz
    )`.execute(db);
}
