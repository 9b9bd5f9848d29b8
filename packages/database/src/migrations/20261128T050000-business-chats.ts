import { type Kysely, sql } from 'kysely';

/**
 * Conversations of business connections. `chats` keeps one row for each person, so that the release before can still write to
 * it: their names, and the state of the bot's own chat. That release leaves `direct` null, and updates no state of a connection;
 * `settleConversations` then reads the messages and says how the chat is known. The trigger counts what either release writes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table chats add column direct boolean`.execute(db);
  await sql`alter table questions add column business_connection_id text not null default ''`.execute(db);
  // Every batch updates its chats. Room left in the page lets these updates touch no index.
  await sql`
    create table business_chats (
      bot_id bigint not null,
      chat_id bigint not null,
      business_connection_id text not null,
      message_count bigint not null default 0,
      last_date bigint not null default 0,
      last_period bigint not null default 0,
      last_incoming_date bigint,
      last_incoming_id bigint,
      last_answer_date bigint,
      last_answer_id bigint,
      assigned_to bigint references accounts on delete set null,
      done_date bigint,
      done_id bigint,
      awaits_told_date bigint,
      awaits_told_minutes integer,
      primary key (bot_id, chat_id, business_connection_id)
    ) with (fillfactor = 80)`.execute(db);
  await sql`
    create index business_chats_assigned on business_chats (assigned_to, bot_id)
      where assigned_to is not null`.execute(db);
  await sql`create index business_chats_recent on business_chats (last_period desc)`.execute(db);
  await sql`create index business_chats_recent_of_bot on business_chats (bot_id, last_period desc)`.execute(db);
  await sql`
    create table business_chat_reads (
      account_id bigint not null references accounts on delete cascade,
      bot_id bigint not null,
      chat_id bigint not null,
      business_connection_id text not null,
      message_id bigint not null,
      message_date bigint not null,
      primary key (account_id, bot_id, chat_id, business_connection_id)
    ) with (fillfactor = 80)`.execute(db);
  await sql`create index business_chat_reads_chat on business_chat_reads (bot_id, chat_id)`.execute(db);
  await countMessages(db);
}

// A conversation is made by its first message only, so that the removal of a deleted chat does not bring it back.
async function countMessages(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function count_business_chats() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into business_chats as b (bot_id, chat_id, business_connection_id, message_count)
        select bot_id, chat_id, business_connection_id, count(*) filter (where deleted_at is null) from added
        where business_connection_id <> '' group by 1, 2, 3 order by 1, 2, 3
        on conflict (bot_id, chat_id, business_connection_id) do update
          set message_count = b.message_count + excluded.message_count;
      elsif tg_op = 'UPDATE' then
        with changed as (
          select bot_id, chat_id, business_connection_id, sum(weight) as weight from (
            select bot_id, chat_id, business_connection_id, 1 as weight from added
            where business_connection_id <> '' and deleted_at is null
            union all
            select bot_id, chat_id, business_connection_id, -1 from removed
            where business_connection_id <> '' and deleted_at is null
          ) as rows group by 1, 2, 3 having sum(weight) <> 0
        ), locked as materialized (
          select b.bot_id, b.chat_id, b.business_connection_id, changed.weight
          from business_chats b join changed using (bot_id, chat_id, business_connection_id)
          order by 1, 2, 3 for no key update of b
        )
        update business_chats b set message_count = greatest(b.message_count + locked.weight, 0) from locked
        where b.bot_id = locked.bot_id and b.chat_id = locked.chat_id
          and b.business_connection_id = locked.business_connection_id;
      else
        with changed as (
          select bot_id, chat_id, business_connection_id, count(*) as weight from removed
          where business_connection_id <> '' and deleted_at is null group by 1, 2, 3
        ), locked as materialized (
          select b.bot_id, b.chat_id, b.business_connection_id, changed.weight
          from business_chats b join changed using (bot_id, chat_id, business_connection_id)
          order by 1, 2, 3 for no key update of b
        )
        update business_chats b set message_count = greatest(b.message_count - locked.weight, 0) from locked
        where b.bot_id = locked.bot_id and b.chat_id = locked.chat_id
          and b.business_connection_id = locked.business_connection_id;
      end if;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger business_chats_added after insert on messages
      referencing new table as added for each statement execute function count_business_chats()`.execute(db);
  await sql`
    create trigger business_chats_changed after update on messages
      referencing old table as removed new table as added
      for each statement execute function count_business_chats()`.execute(db);
  await sql`
    create trigger business_chats_removed after delete on messages
      referencing old table as removed for each statement execute function count_business_chats()`.execute(db);
}
