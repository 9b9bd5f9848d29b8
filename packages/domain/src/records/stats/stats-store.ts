import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Tables } from '@flotilla/database/tables.ts';
import { type SelectQueryBuilder, sql } from 'kysely';
import { shownSince } from '../../fleet/bots/deletion-store.ts';

export interface TopUser {
  id: number;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  message_count: number;
}

type CountedAuthor = {
  user_id: number | null;
  username: string | null;
  first_name: string | null;
  message_count: number;
};

const HOUR_S = 3600;
/** The clocks of every time zone differ by a multiple of this. */
export const SLOT_S = 900;
const DAY_S = 24 * HOUR_S;

/** SQL of statistics. Each statement reads one chat of one bot. Chats that write as themselves have ids below 0: no users. */
export function statsStore(db: Database) {
  const messagesOf = (chat: ChatOfBot) =>
    db
      .selectFrom('messages')
      .where('messages.bot_id', '=', chat.bot_id)
      .where('messages.chat_id', '=', chat.chat_id)
      .where('messages.date', '>=', shownSince(chat))
      .where('messages.deleted_at', 'is', null);
  const messagesOfDay = (chat: ChatOfBot, dayStartS: number) =>
    messagesOf(chat)
      .where('messages.date', '>=', dayStartS)
      .where('messages.date', '<', dayStartS + DAY_S);

  const named = (
    chat: ChatOfBot,
    authors: SelectQueryBuilder<Tables, 'chat_authors' | 'messages', CountedAuthor>,
  ): Promise<TopUser[]> =>
    db
      .selectFrom(authors.as('top'))
      .leftJoin('chat_users as seen', (join) =>
        join
          .on('seen.bot_id', '=', chat.bot_id)
          .on('seen.chat_id', '=', chat.chat_id)
          .onRef('seen.user_id', '=', 'top.user_id'),
      )
      .select((row) => [
        'top.user_id as id',
        row.fn.coalesce('seen.username', 'top.username').as('username'),
        row.fn.coalesce('seen.first_name', 'top.first_name').as('first_name'),
        'seen.last_name',
        'top.message_count',
      ])
      .orderBy('top.message_count', 'desc')
      .orderBy('top.user_id')
      .$castTo<TopUser>()
      .execute();

  return {
    async totalMessages({ bot_id, chat_id }: ChatOfBot): Promise<number> {
      const chats = db.selectFrom('chats').where('bot_id', '=', bot_id).where('id', '=', chat_id);
      return (await chats.select('message_count').executeTakeFirst())?.message_count ?? 0;
    },

    /** Hours without messages are left out. */
    messagesByHour(chat: ChatOfBot, dayStartS: number): Promise<{ hour: number; count: number }[]> {
      return messagesOfDay(chat, dayStartS)
        .select((row) => [
          sql<number>`(messages.date - ${dayStartS}::bigint) / ${HOUR_S}::bigint`.as('hour'),
          row.fn.countAll<number>().as('count'),
        ])
        .groupBy('hour')
        .execute();
    },

    /** Messages since then by quarters of an hour since 1970, those with messages only; from indexes alone. */
    async messagesBySlot(chat: ChatOfBot, fromS: number): Promise<{ slot: number; count: number }[]> {
      const since = sql`bot_id = ${chat.bot_id} and chat_id = ${chat.chat_id} and date >= ${fromS}
        and date >= ${shownSince(chat)}`;
      const { rows } = await sql<{ slot: number; count: number }>`
        select slot, sum(count)::bigint as count from (
          select date / ${SLOT_S}::bigint as slot, count(*) as count from messages where ${since} group by 1
          union all
          select date / ${SLOT_S}::bigint, -count(*) from messages where ${since} and deleted_at is not null group by 1
        ) as counted
        group by slot having sum(count) > 0`.execute(db);
      return rows;
    },

    async countAuthors(chat: ChatOfBot, dayStartS: number): Promise<number> {
      const { count } = await messagesOfDay(chat, dayStartS)
        .where('messages.outgoing', '=', false)
        .where('messages.user_id', '>', 0)
        .select((row) => row.fn.count<number>('messages.user_id').distinct().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    /** True while a part of the chat is being removed; `chat_authors` still counts that part. */
    async isBeingRemoved({ bot_id, chat_id }: ChatOfBot): Promise<boolean> {
      const deletions = db.selectFrom('deletions').where('bot_id', '=', bot_id).where('chat_id', '=', chat_id);
      return (await deletions.select('bot_id').limit(1).executeTakeFirst()) !== undefined;
    },

    /** Users get their last known names. */
    topUsers(chat: ChatOfBot, limit: number): Promise<TopUser[]> {
      const top = db
        .selectFrom('chat_authors')
        .select(['user_id', 'message_count', 'first_name', 'username'])
        .where('bot_id', '=', chat.bot_id)
        .where('chat_id', '=', chat.chat_id)
        .where('user_id', '>', 0)
        .where('message_count', '>', 0);
      return named(chat, top.orderBy('message_count', 'desc').orderBy('user_id').limit(limit));
    },

    /** Like topUsers, but reads every message of the chat. */
    topUsersCounted(chat: ChatOfBot, limit: number): Promise<TopUser[]> {
      const counted = messagesOf(chat)
        .where('messages.outgoing', '=', false)
        .where('messages.user_id', '>', 0)
        .select((row) => [
          'messages.user_id',
          row.fn.countAll<number>().as('message_count'),
          row.fn.max('messages.first_name').as('first_name'),
          row.fn.max('messages.username').as('username'),
        ])
        .groupBy('messages.user_id')
        .orderBy('message_count', 'desc')
        .orderBy('messages.user_id')
        .limit(limit);
      return named(chat, counted);
    },
  };
}
