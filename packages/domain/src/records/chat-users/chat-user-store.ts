import type { ChatUsersTable } from '@flotilla/database/chat-tables.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type Selectable, sql } from 'kysely';

export type ChatUser = Selectable<ChatUsersTable>;

export interface ChatUserQuery {
  bot_id: number;
  chat_id: number;
  /** A part of the full name or username, or `@` and the beginning of a username, in any case. '' matches all. */
  q: string;
}

const fullName = () => sql<string>`concat_ws(' ', first_name, last_name)`;

/** SQL of the users who wrote in a chat. */
export function chatUserStore(db: Database) {
  const usersOf = ({ bot_id, chat_id, q }: ChatUserQuery) => {
    const users = db.selectFrom('chat_users').where('bot_id', '=', bot_id).where('chat_id', '=', chat_id);
    if (q === '') return users;
    const text = q.replace(/[\\%_]/g, '\\$&');
    if (q.startsWith('@')) return users.where('username', 'ilike', `${text.slice(1)}%`);
    return users.where((row) => row.or([row('username', 'ilike', `%${text}%`), row(fullName(), 'ilike', `%${text}%`)]));
  };
  return {
    /** Ordered by id, so that new messages do not shift pages. */
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
