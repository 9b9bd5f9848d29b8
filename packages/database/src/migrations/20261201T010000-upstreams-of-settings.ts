// contract: no release has ever read the table that goes; the first one has its servers in TELEGRAM_UPSTREAMS
import { type Kysely, sql } from 'kysely';

/** Bot API servers are in the settings; the environment of the platform is that of each bot. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bots add column environment text not null default 'production'`.execute(db);
  await sql`drop table upstreams`.execute(db);
}
