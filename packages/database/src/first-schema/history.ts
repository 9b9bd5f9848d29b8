import { type Kysely, sql } from 'kysely';
import { POLL_ID_PATTERN } from '../poll-id.ts';
import { createEdges } from './create-edges.ts';

const SEARCH_PENDING_KB = 1024;

/**
 * Chats, messages and those who write them. Tables that grow without limit have no foreign key to the bot: a cascade
 * would delete millions of rows at once. Writers of such rows lock the bot's row, and `deletions` says what to remove.
 */
export async function createHistory(db: Kysely<unknown>): Promise<void> {
  await createChats(db);
  await createMessages(db);
  await createTopics(db);
  await createAuthors(db);
  await createChatUsers(db);
  await createRouteLinks(db);
}

async function createChats(db: Kysely<unknown>): Promise<void> {
  // Every batch updates its chats' counts. Room left in the page lets these updates touch no index.
  await sql`
    create table chats (
      bot_id bigint not null,
      id bigint not null,
      type text not null,
      title text,
      username text,
      first_name text,
      last_name text,
      search_name text not null default '',
      message_count bigint not null default 0,
      last_date bigint not null default 0,
      last_period bigint not null default 0,
      last_incoming_date bigint,
      last_incoming_id bigint,
      last_answer_date bigint,
      last_answer_id bigint,
      last_id bigint not null default 0,
      migrated_to_chat_id bigint,
      assigned_to bigint references accounts on delete set null,
      done_date bigint,
      done_id bigint,
      blocked_at timestamptz,
      awaits_told_date bigint,
      awaits_told_minutes integer,
      updated_at timestamptz not null default now(),
      primary key (bot_id, id)
    ) with (fillfactor = 80)`.execute(db);
  // For calls without bot_id, which ask which bots track a chat.
  await sql`create index chats_id on chats (id)`.execute(db);
  // A captured call may name its chat as @username.
  await sql`create index chats_username on chats (bot_id, lower(username)) where username is not null`.execute(db);
  // For a bot's groups or channels, which are few among many private chats.
  await sql`create index chats_type on chats (bot_id, type, id)`.execute(db);
  // For a bot's groups that became supergroups, which are few among its chats.
  await sql`create index chats_moved on chats (bot_id) where migrated_to_chat_id is not null`.execute(db);
  // For the chats of an account, and for deleting it.
  await sql`create index chats_assigned on chats (assigned_to, bot_id) where assigned_to is not null`.execute(db);
  // For the chats of all bots, the last message first. It has the period of that message and not its date, so that
  // most updates of a chat touch no index.
  await sql`create index chats_recent on chats (last_period desc)`.execute(db);
  // For the chats of one bot or a few, the last message first.
  await sql`create index chats_recent_of_bot on chats (bot_id, last_period desc)`.execute(db);
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

async function createMessages(db: Kysely<unknown>): Promise<void> {
  // search-query.ts makes the content of `search`, because folding must not depend on the database's locale. `details`
  // has what few messages have, because each further column costs the writer of history time. It is no jsonb, which
  // refuses the NUL characters and halves of surrogate pairs that the platform sends. The key has the date because partitions are
  // made by it; the writer sees to it that a message has one row (settle-dates.ts).
  await sql`
    create table messages (
      bot_id bigint not null,
      business_connection_id text not null default '',
      chat_id bigint not null,
      id bigint not null,
      user_id bigint,
      username text,
      first_name text,
      last_name text,
      text text,
      date bigint not null,
      media_type text,
      file_id text,
      reply_to_message_id bigint,
      edit_date bigint,
      deleted_at timestamptz,
      outgoing boolean not null default false,
      service text,
      details json,
      program_id bigint,
      written_again boolean not null default false,
      search tsvector,
      thread_id bigint generated always as (substring(details::text from '^\\{"thread_id":(\\d{1,15})')::bigint) stored,
      primary key (bot_id, business_connection_id, chat_id, id, date)
    ) partition by range (date)`.execute(db);
  await createEdges(db, 'messages');
  // The only order in which messages are listed. It also serves counting and deleting a whole chat.
  await sql`create index messages_newest on messages (bot_id, chat_id, date desc, id desc)`.execute(db);
  // Words are merged into the index many messages at a time. A search reads what waits for that, so it is little (KB).
  await sql`
    create index messages_search on messages using gin (search)
      with (fastupdate = on, gin_pending_list_limit = ${sql.lit(SEARCH_PENDING_KB)})`.execute(db);
  // For searching the newest messages of one bot, and of all bots. Of an expression, so that the planner takes them for
  // nothing else: for one chat they would read all the others.
  await sql`create index messages_of_bot on messages (bot_id, (date + 0) desc)`.execute(db);
  await sql`create index messages_of_fleet on messages ((date + 0) desc)`.execute(db);
  // For the messages of one user in a chat, newest first.
  await sql`
    create index messages_author on messages (bot_id, chat_id, user_id, date desc, id desc)
      where user_id is not null`.execute(db);
  // For a chat's messages of one media type, newest first, and for counting those of one user.
  await sql`
    create index messages_media on messages (bot_id, chat_id, media_type, date desc, id desc)
      include (user_id) where media_type is not null`.execute(db);
  // For a topic's messages, newest first, and for counting them.
  await sql`
    create index messages_topic on messages (bot_id, chat_id, thread_id, date desc, id desc)
      where thread_id is not null`.execute(db);
  // For the message of a poll, which the platform names by the poll alone when it tells of votes.
  await sql`
    create index messages_poll on messages (bot_id, (substring(details::text from ${sql.lit(POLL_ID_PATTERN)})))
      where substring(details::text from ${sql.lit(POLL_ID_PATTERN)}) is not null`.execute(db);
  // A count over a filtered list subtracts these from the counts of the other indexes, so it reads no row.
  await sql`
    create index messages_deleted on messages (bot_id, chat_id, date desc)
      include (user_id, media_type, thread_id) where deleted_at is not null`.execute(db);
}

async function createTopics(db: Kysely<unknown>): Promise<void> {
  // A new message in a topic updates its row. Room left in the page lets that touch no index.
  await sql`
    create table topics (
      bot_id bigint not null,
      chat_id bigint not null,
      thread_id bigint not null,
      name text,
      icon_color int,
      icon_custom_emoji_id text,
      closed boolean not null default false,
      deleted boolean not null default false,
      last_date bigint not null default 0,
      primary key (bot_id, chat_id, thread_id)
    ) with (fillfactor = 80)`.execute(db);
}

/**
 * The number of messages of each author in a chat, so that nobody has to count them. Triggers maintain it, because
 * messages are written in many places, and a place that forgot the count would make it wrong for ever.
 */
async function createAuthors(db: Kysely<unknown>): Promise<void> {
  // Every batch of messages updates its authors' counts. Room left in the page lets these updates touch no index.
  await sql`
    create table chat_authors (
      bot_id bigint not null,
      chat_id bigint not null,
      user_id bigint not null,
      username text,
      first_name text,
      message_count bigint not null,
      primary key (bot_id, chat_id, user_id)
    ) with (fillfactor = 80)`.execute(db);
  await sql`
    create function count_chat_authors() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then ${sql.raw(count(counted('added', 1)))}
      elsif tg_op = 'UPDATE' then ${sql.raw(count(`${counted('added', 1)} union all ${counted('removed', -1)}`))}
      else ${sql.raw(count(counted('removed', -1)))}
        delete from chat_authors a using (select distinct bot_id, chat_id, user_id from removed) r
        where a.bot_id = r.bot_id and a.chat_id = r.chat_id and a.user_id = r.user_id and a.message_count <= 0;
      end if;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger chat_authors_added after insert on messages
      referencing new table as added for each statement execute function count_chat_authors()`.execute(db);
  await sql`
    create trigger chat_authors_changed after update on messages
      referencing old table as removed new table as added
      for each statement execute function count_chat_authors()`.execute(db);
  await sql`
    create trigger chat_authors_removed after delete on messages
      referencing old table as removed for each statement execute function count_chat_authors()`.execute(db);
}

/** The change of each author's count, for messages that were added or removed. */
const counted = (rows: string, weight: number) => `
  select bot_id, chat_id, user_id, username, first_name, ${weight} as weight from ${rows}
  where user_id is not null and not outgoing and deleted_at is null`;

// The old and new rows of an update are added up and never joined: a plan kept from a small batch would compare every
// pair of a large one. Rows are locked in key order, so that writers of one chat wait instead of deadlocking.
const count = (moved: string) => `
  insert into chat_authors as a (bot_id, chat_id, user_id, username, first_name, message_count)
  select bot_id, chat_id, user_id, max(username) filter (where weight > 0),
    max(first_name) filter (where weight > 0), sum(weight) from (${moved}) as moved
  group by 1, 2, 3 having sum(weight) <> 0 order by 1, 2, 3
  on conflict (bot_id, chat_id, user_id) do update set
    username = coalesce(excluded.username, a.username), first_name = coalesce(excluded.first_name, a.first_name),
    message_count = a.message_count + excluded.message_count;`;

async function createChatUsers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table chat_users (
      bot_id bigint not null,
      chat_id bigint not null,
      user_id bigint not null,
      username text,
      first_name text,
      last_name text,
      is_bot boolean not null default false,
      last_seen_at timestamptz not null default now(),
      search tsvector,
      primary key (bot_id, chat_id, user_id)
    ) with (fillfactor = 80)`.execute(db);
  // For finding people by their names, and all chats of one.
  await sql`create index chat_users_search on chat_users using gin (search) with (fastupdate = off)`.execute(db);
  await sql`create index chat_users_user on chat_users (user_id)`.execute(db);
  await sql`
    create table tags (
      id bigint generated by default as identity primary key,
      bot_id bigint not null references bots on delete cascade,
      chat_id bigint not null,
      user_id bigint not null,
      username text,
      tag text not null,
      color text not null,
      created_at timestamptz not null default now(),
      unique (bot_id, chat_id, user_id, tag)
    )`.execute(db);
}

async function createRouteLinks(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table route_links (
      target_bot_id bigint not null,
      target_business_connection_id text not null default '',
      target_chat_id bigint not null,
      target_message_id bigint not null,
      source_bot_id bigint not null,
      source_business_connection_id text not null default '',
      source_chat_id bigint not null,
      source_message_id bigint not null,
      expires_at timestamptz not null,
      primary key (target_bot_id, target_chat_id, target_message_id, target_business_connection_id)
    )`.execute(db);
  // Deleting a source bot and editing a source message look a link up from this side.
  await sql`
    create index route_links_source
      on route_links (source_bot_id, source_chat_id, source_message_id)`.execute(db);
  // For removing the expired ones.
  await sql`create index route_links_expiry on route_links (expires_at)`.execute(db);
}
