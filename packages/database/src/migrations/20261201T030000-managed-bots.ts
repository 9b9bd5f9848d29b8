import { type Kysely, sql } from 'kysely';

/** Bots that adopt those which people make for them at the platform, and bots that were adopted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table bots
      add column adopts boolean not null default false,
      add column template_sealed text not null default '',
      add column parent_bot_id bigint,
      add column owner_user_id bigint`.execute(db);
}
