import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, sql } from 'kysely';

/** The names of chats by `<bot id> <chat id>`: the title, or the name of the person. Those without one are left out. */
export async function chatTitles(db: Database, chats: readonly ChatOfBot[]): Promise<Map<string, string>> {
  if (chats.length === 0) return new Map();
  const keys = [...new Map(chats.map((chat) => [titleKey(chat), chat])).values()];
  const { rows } = await sql<ChatOfBot & { title: string | null }>`
    select c.bot_id, c.id as chat_id, ${chatTitle('c', 'later')} as title
    from unnest(${keys.map((key) => key.bot_id)}::bigint[], ${keys.map((key) => key.chat_id)}::bigint[]) as wanted (bot, chat)
    join chats c on c.bot_id = wanted.bot and c.id = wanted.chat
    left join chats later on later.bot_id = c.bot_id and later.id = c.migrated_to_chat_id`.execute(db);
  return new Map(rows.flatMap((row) => (row.title === null ? [] : [[titleKey(row), row.title]])));
}

export function titleKey({ bot_id, chat_id }: ChatOfBot): string {
  return `${bot_id} ${chat_id}`;
}

/** The name of a chat as SQL; of a group that is known by its id only, that of the supergroup that it became. */
export function chatTitle(chat: string, later: string): RawBuilder<string | null> {
  const of = (column: string) => sql.ref(`${chat}.${column}`);
  return sql<string | null>`coalesce(${of('title')}, ${sql.ref(`${later}.title`)},
    nullif(concat_ws(' ', ${of('first_name')}, ${of('last_name')}), ''), ${of('username')})`;
}
