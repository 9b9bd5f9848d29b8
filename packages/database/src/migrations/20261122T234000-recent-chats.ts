import { type Kysely, sql } from 'kysely';

/** What chats are listed by, when the last message comes first, and up to where each account has read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table chats add column search_name text, add column last_period bigint, add column last_date bigint,
      add column last_incoming_date bigint, add column last_incoming_id bigint`.execute(db);
  await sql`
    create table chat_reads (
      account_id bigint not null references accounts on delete cascade,
      bot_id bigint not null,
      chat_id bigint not null,
      message_id bigint not null,
      message_date bigint not null,
      primary key (account_id, bot_id, chat_id)
    ) with (fillfactor = 80)`.execute(db);
  // For deleting a chat or a bot.
  await sql`create index chat_reads_chat on chat_reads (bot_id, chat_id)`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table chat_reads`.execute(db);
  await sql`
    alter table chats drop column search_name, drop column last_period, drop column last_date,
      drop column last_incoming_date, drop column last_incoming_id`.execute(db);
}
