import type { Database } from '@flotilla/database/connect.ts';
import type { ChatUsersTable } from '@flotilla/database/tables.ts';
import type { Selectable } from 'kysely';

export type ChatUser = Selectable<ChatUsersTable>;

export interface ChatUserQuery {
  botId: number;
  chatId: number;
  /** A part of a name or the username, in any case; '' finds all. */
  q: string;
}

/** SQL of the users who wrote in a chat. */
export function chatUserStore(db: Database) {
  const usersOf = ({ botId, chatId, q }: ChatUserQuery) => {
    const users = db.selectFrom('chat_users').where('bot_id', '=', botId).where('chat_id', '=', chatId);
    if (q === '') return users;
    const pattern = `%${q.replace(/[\\%_]/g, '\\$&')}%`;
    return users.where((row) =>
      row.or((['username', 'first_name', 'last_name'] as const).map((name) => row(name, 'ilike', pattern))),
    );
  };
  return {
    /** By id: an order that no new message disturbs while somebody pages. */
    list(query: ChatUserQuery, page: { limit: number; offset: number; afterId: number | null }): Promise<ChatUser[]> {
      let users = usersOf(query).selectAll().orderBy('user_id').limit(page.limit).offset(page.offset);
      if (page.afterId !== null) users = users.where('user_id', '>', page.afterId);
      return users.execute();
    },

    async count(query: ChatUserQuery): Promise<number> {
      const { count } = await usersOf(query)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}
