import type { Database } from '@flotilla/database/connect.ts';
import type { ChatsTable } from '@flotilla/database/tables.ts';
import { type Selectable, sql } from 'kysely';

export type Chat = Selectable<ChatsTable>;

export interface ChatQuery {
  /** A part of the title, a name or the username, in any case. '' matches all. */
  q: string;
  type?: string | undefined;
  limit: number;
  offset: number;
  /** The id of the last chat of the previous page. */
  afterId: number | null;
}

/** SQL of chats. */
export function chatStore(db: Database) {
  const chatsOf = (botId: number, { q, type }: Pick<ChatQuery, 'q' | 'type'>) => {
    let chats = db.selectFrom('chats').where('bot_id', '=', botId);
    if (type !== undefined) chats = chats.where('type', '=', type);
    if (q === '') return chats;
    const pattern = `%${q.replace(/[\\%_]/g, '\\$&')}%`;
    return chats.where((row) =>
      row.or([
        ...(['title', 'username', 'first_name', 'last_name'] as const).map((name) => row(name, 'ilike', pattern)),
        row(sql<string>`concat_ws(' ', first_name, last_name)`, 'ilike', pattern),
      ]),
    );
  };
  return {
    async find(botId: number, chatId: number): Promise<Chat | null> {
      const chats = db.selectFrom('chats').selectAll().where('bot_id', '=', botId).where('id', '=', chatId);
      return (await chats.executeTakeFirst()) ?? null;
    },

    /** The chat that had this public name (without @) when one of the bots last saw it. */
    async findByName(botIds: number[], name: string): Promise<Chat | null> {
      const chats = db
        .selectFrom('chats')
        .selectAll()
        .where('bot_id', 'in', botIds)
        .where((row) => row(row.fn<string>('lower', ['username']), '=', name.toLowerCase()))
        .orderBy('updated_at', 'desc');
      return (botIds.length === 0 ? undefined : await chats.executeTakeFirst()) ?? null;
    },

    /** The bots that track a chat. */
    async botsOf(chatId: number): Promise<number[]> {
      const rows = await db.selectFrom('chats').select('bot_id').where('id', '=', chatId).execute();
      return rows.map((row) => row.bot_id);
    },

    /** Ordered by id, so that new chats and messages do not shift pages. */
    list(botId: number, query: ChatQuery): Promise<Chat[]> {
      let chats = chatsOf(botId, query).selectAll().orderBy('id').limit(query.limit).offset(query.offset);
      if (query.afterId !== null) chats = chats.where('id', '>', query.afterId);
      return chats.execute();
    },

    async count(botId: number, query: Pick<ChatQuery, 'q' | 'type'>): Promise<number> {
      const { count } = await chatsOf(botId, query)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}
