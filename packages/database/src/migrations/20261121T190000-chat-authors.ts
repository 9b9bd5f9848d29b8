import { type Kysely, sql } from 'kysely';

/**
 * The number of messages of each author in a chat, so that nobody has to count them. Triggers maintain it, because
 * messages are written in many places, and a place that forgot the count would make it wrong for ever.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
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
  await createTriggers(db);
  await sql`
    insert into chat_authors (bot_id, chat_id, user_id, username, first_name, message_count)
    select bot_id, chat_id, user_id, max(username), max(first_name), count(*) from messages
    where user_id is not null and not outgoing and deleted_at is null
    group by 1, 2, 3`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger chat_authors_added on messages`.execute(db);
  await sql`drop trigger chat_authors_changed on messages`.execute(db);
  await sql`drop trigger chat_authors_removed on messages`.execute(db);
  await sql`drop function count_chat_authors`.execute(db);
  await sql`drop table chat_authors`.execute(db);
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

async function createTriggers(db: Kysely<unknown>): Promise<void> {
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
