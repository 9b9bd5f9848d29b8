import { chatIdIn, chatNamePattern } from '@flotilla/database/chat-search-name.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { ChatsTable } from '@flotilla/database/tables.ts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { type ChatDesk, type DeskFilter, deskColumns, deskConditions } from './chat-desk.ts';

export type Chat = Selectable<ChatsTable> &
  ChatDesk & {
    /** The last one, of a chat that the bot knows through business connections only. */
    business_connection_id?: string | null;
  };

export interface ChatFilter extends DeskFilter {
  bots: 'all' | number[];
  /** A part of the title, a name or the username (also with `@`), in any case, or the id. '' matches all. */
  q: string;
  type?: string | undefined;
}

export interface ChatQuery extends ChatFilter {
  limit: number;
  offset: number;
  /** The last chat of the previous page. */
  after: readonly [botId: number, chatId: number] | null;
}

/** SQL of chats. */
export function chatStore(db: Database) {
  const chatsOf = ({ bots, q, type, ...desk }: ChatFilter) => {
    // A deleted bot's chats are removed step by step.
    let chats = db.selectFrom('chats').where('bot_id', 'in', db.selectFrom('bots').select('id'));
    if (bots !== 'all') chats = chats.where('bot_id', '=', sql<number>`any (${bots}::bigint[])`);
    if (type !== undefined) chats = chats.where('type', '=', type);
    for (const condition of deskConditions('chats', desk)) chats = chats.where(condition);
    return q === '' ? chats : chats.where(isNamed(q));
  };
  return {
    async find(botId: number, chatId: number): Promise<Chat | null> {
      const chats = db.selectFrom('chats').selectAll().select(deskColumns('chats'));
      return (await chats.where('bot_id', '=', botId).where('id', '=', chatId).executeTakeFirst()) ?? null;
    },

    /** The chat that had this public name (without @) when one of the bots last saw it. */
    async findByName(botIds: number[], name: string): Promise<Pick<Chat, 'id'> | null> {
      const chats = db
        .selectFrom('chats')
        .select('id')
        .where('bot_id', 'in', botIds)
        .where((row) => row(row.fn<string>('lower', ['username']), '=', name.toLowerCase()))
        .orderBy('updated_at', 'desc');
      return (botIds.length === 0 ? undefined : await chats.executeTakeFirst()) ?? null;
    },

    /** The groups that this supergroup was before. */
    async formerOf(botId: number, chatId: number): Promise<number[]> {
      const groups = db.selectFrom('chats').select('id').where('bot_id', '=', botId);
      return (await groups.where('migrated_to_chat_id', '=', chatId).execute()).map(({ id }) => id);
    },

    /** The supergroup that a group became; other chats are themselves. */
    async currentOf(botId: number, chatId: number): Promise<number> {
      const groups = db.selectFrom('chats').select('migrated_to_chat_id').where('bot_id', '=', botId);
      const row = await groups.where('id', '=', chatId).executeTakeFirst();
      return row?.migrated_to_chat_id ?? chatId;
    },

    /** The bots among these that know a private chat with a person. */
    async privateChatsWith(userId: number, bots: 'all' | number[], limit: number): Promise<number[]> {
      const rows = await chatsOf({ bots, q: '', type: 'private' })
        .select('bot_id')
        .where('id', '=', userId)
        .orderBy('bot_id')
        .limit(limit)
        .execute();
      return rows.map((row) => row.bot_id);
    },

    /** The bots that track a chat. */
    async botsOf(chatId: number): Promise<number[]> {
      const rows = await db.selectFrom('chats').select('bot_id').where('id', '=', chatId).execute();
      return rows.map((row) => row.bot_id);
    },

    /** Ordered by bot and id, so that new chats and messages do not shift pages. */
    list({ limit, offset, after, ...filter }: ChatQuery): Promise<Chat[]> {
      let chats = chatsOf(filter)
        .selectAll()
        .select(connectionOf('chats').as('business_connection_id'))
        .select(deskColumns('chats'))
        .orderBy('bot_id')
        .orderBy('id')
        .limit(limit)
        .offset(offset);
      if (after !== null) chats = chats.where((row) => row(row.refTuple('bot_id', 'id'), '>', row.tuple(...after)));
      return chats.execute();
    },

    async count(filter: ChatFilter): Promise<number> {
      const { count } = await chatsOf(filter)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}

/** The business connection of a chat that the bot knows through connections only: that of its newest message. Else null. */
export function connectionOf(chats: 'chats' | 'page'): RawBuilder<string | null> {
  const [botId, chatId] = [sql.ref(`${chats}.bot_id`), sql.ref(`${chats}.id`)];
  // Mostly the newest message answers it. Only where that has a connection, all partitions are asked for one without.
  return sql<string | null>`case when ${chatId} > 0 then (
      select nullif(newest.business_connection_id, '') from (
        select m.business_connection_id from messages m where m.bot_id = ${botId} and m.chat_id = ${chatId}
        order by m.date desc, m.id desc limit 1
      ) as newest
      where newest.business_connection_id = '' or not exists (
        select from messages d where d.bot_id = ${botId} and d.business_connection_id = '' and d.chat_id = ${chatId})
    ) end`;
}

function isNamed(q: string): RawBuilder<boolean> {
  return sql<boolean>`(id = ${chatIdIn(q)} or search_name like ${chatNamePattern(q)})`;
}
