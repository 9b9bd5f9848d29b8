import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { sql } from 'kysely';
import { settleConversations } from './settle-conversations.ts';

/** The messages with one person or in one group: '' is the bot's own chat, else a business connection. */
export type Conversation = ChatOfBot & { business_connection_id: string };

/** No error names more of them. */
const NAMED = 100;

/** Like findConversation, for what is kept of a conversation: a given one was told apart from the others before. */
export async function findKeptConversation(
  db: Database,
  chat: ChatOfBot,
  given: string | undefined,
): Promise<Conversation> {
  if (given !== undefined && chat.chat_id > 0) await conversationsOf(db, chat);
  return { ...chat, business_connection_id: await findConversation(db, chat, given) };
}

/**
 * The conversation of a call: the one that is given, else the only one of the chat. A chat that nobody knows is the bot's own. Throws
 * 'ambiguous_conversation' if the chat has several, since nobody may be answered through another account.
 */
export async function findConversation(db: Database, chat: ChatOfBot, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  // Business connections have private chats only.
  if (chat.chat_id <= 0) return '';
  const known = await conversationsOf(db, chat);
  if (known.length <= 1) return known[0] ?? '';
  const names = known.map((connection) => (connection === '' ? '"" (the bot itself)' : `"${connection}"`));
  throw new FlotillaError(
    'ambiguous_conversation',
    `The chat has several conversations. Name one in business_connection_id: ${names.join(', ')}`,
    { businessConnectionIds: known },
  );
}

/** The conversations that are known of a chat; '' is that of the bot itself, and comes first. */
async function conversationsOf(db: Database, chat: ChatOfBot): Promise<string[]> {
  const { rows } = await sql<{ direct: boolean | null; connections: string[] }>`
    select c.direct, array(
      select b.business_connection_id from business_chats b where b.bot_id = c.bot_id and b.chat_id = c.id
      order by b.business_connection_id limit ${NAMED}) as connections
    from chats c where c.bot_id = ${chat.bot_id} and c.id = ${chat.chat_id}`.execute(db);
  const [row] = rows;
  if (row === undefined) return [];
  if (row.direct === null) {
    await settleConversations(db, chat);
    return conversationsOf(db, chat);
  }
  return row.direct ? ['', ...row.connections] : row.connections;
}

/** The parameter of a call. Without a connection there is none. */
export function connectionParam(connection: string): { business_connection_id?: string } {
  return connection === '' ? {} : { business_connection_id: connection };
}

/** A conversation as answers and events name it. */
export type InConversation = { bot_id: number; chat_id: number; business_connection_id?: string };

export function inConversation({ bot_id, chat_id, business_connection_id }: Conversation): InConversation {
  return { bot_id, chat_id, ...connectionParam(business_connection_id) };
}
