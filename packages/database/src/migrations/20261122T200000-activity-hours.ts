import { type Kysely, sql } from 'kysely';

/** What each bot did in each hour. The hour's row of bot 0, the whole fleet, is written last: then the hour is complete. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table activity_hours (
      bot_id bigint not null,
      at timestamptz not null,
      received bigint not null,
      delivered bigint not null,
      failed bigint not null,
      retried bigint not null,
      calls bigint not null,
      primary key (bot_id, at)
    )`.execute(db);
  // Retention removes by time.
  await sql`create index activity_hours_at on activity_hours (at)`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table activity_hours`.execute(db);
}
