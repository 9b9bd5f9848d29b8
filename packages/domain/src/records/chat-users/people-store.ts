import type { Database } from '@flotilla/database/connect.ts';
import { peopleQueries } from '@flotilla/database/search-query.ts';
import { type RawBuilder, sql } from 'kysely';
import { type Scope, visibleTo } from '../../people/accounts/scope.ts';
import { chatTitle } from '../chats/chat-titles.ts';

export interface Person {
  user_id: number;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  chats: { bot_id: number; chat_id: number; title: string | null; messages: number; last_message_at: string }[];
}

export interface PeopleQuery {
  /** Words of a name, an id, or `@` and the beginning of a username. */
  q: string;
  limit: number;
  /** The most chats of one person. */
  chats: number;
}

const USER_ID = /^\d{1,16}$/;

/** SQL of people, each with all the chats of the given bots in which they wrote. */
export function peopleStore(db: Database) {
  return {
    /** Whoever wrote last comes first. */
    async find(scope: Scope, query: PeopleQuery): Promise<Person[]> {
      const { rows } = await sql<Person>`
        with found as materialized (
          select u.user_id, max(u.last_seen_at) as last_seen_at from (${matching(scope, query)}) as u
          where ${isSeen(scope)} and not u.is_bot
          group by u.user_id order by 2 desc, 1 limit ${query.limit}
        )
        select found.user_id, name.username, name.first_name, name.last_name, place.chats
        from found
        cross join lateral (
          select u.username, u.first_name, u.last_name from chat_users u
          where u.user_id = found.user_id and ${isSeen(scope)} order by u.last_seen_at desc limit 1
        ) as name
        cross join lateral (select json_agg(one) as chats from (${chatsOf(scope, query)}) as one) as place
        order by found.last_seen_at desc, found.user_id`.execute(db);
      return rows;
    },
  };
}

/** Rows of a group that became a supergroup belong to the supergroup. */
function chatsOf(scope: Scope, query: PeopleQuery): RawBuilder<unknown> {
  return sql`
    select u.bot_id, coalesce(c.migrated_to_chat_id, c.id, u.chat_id) as chat_id,
      max(${chatTitle('c', 'later')}) as title, coalesce(sum(a.message_count), 0)::bigint as messages,
      to_char(max(u.last_seen_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_message_at
    from chat_users u
    left join chats c on c.bot_id = u.bot_id and c.id = u.chat_id
    left join chats later on later.bot_id = c.bot_id and later.id = c.migrated_to_chat_id
    left join chat_authors a on a.bot_id = u.bot_id and a.chat_id = u.chat_id and a.user_id = u.user_id
    where u.user_id = found.user_id and ${isSeen(scope)}
    group by 1, 2 order by max(u.last_seen_at) desc, 1, 2 limit ${query.chats}`;
}

/** Of bots that the caller sees, and that are not being deleted. */
function isSeen(scope: Scope): RawBuilder<unknown> {
  return sql`${visibleTo(scope, 'u.bot_id')} and not exists (
    select from deletions d where d.bot_id = u.bot_id and d.chat_id is null)`;
}

/** Each bot is asked for its own people, so that those of others make no answer slower. */
function matching({ bots }: Scope, { q }: PeopleQuery): RawBuilder<unknown> {
  const username = q.startsWith('@') ? sql`u.username ilike ${`${q.slice(1).replace(/[\\%_]/g, '\\$&')}%`}` : sql`true`;
  const named = sql`
    select named.* from unnest(${peopleQueries(bots === 'all' ? bots : [...bots], q)}::text[]) as wanted (q) cross join lateral (
      select u.* from chat_users u where u.search @@ wanted.q::tsquery and ${username} offset 0) as named`;
  if (!USER_ID.test(q) || !Number.isSafeInteger(Number(q))) return named;
  return sql`${named} union all select u.* from chat_users u where u.user_id = ${Number(q)}`;
}
