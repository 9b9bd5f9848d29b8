import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import { auditStore } from '@flotilla/domain/people/audit/audit-store.ts';
import type { Message } from '@flotilla/domain/records/messages/message-store.ts';
import type { Context } from '../context.ts';

/** Says which account sent a message as the bot; undefined: none that is known. */
export type Senders = (message: Message) => string | undefined;

/** Conversations of business connections may have messages of the same id. */
export async function sendersOf(
  { db }: Pick<Context, 'db'>,
  chat: ChatOfBot,
  messages: readonly Message[],
): Promise<Senders> {
  const sent = messages.filter((message) => message.outgoing && message.program_id === null && message.id > 0);
  const dates = sent.map(({ date }) => date);
  const between = { fromS: Math.min(...dates), toS: Math.max(...dates) };
  const ids = sent.map(({ id }) => id);
  const known = await auditStore(db).sendersOf({ bot_id: chat.bot_id, chat_id: chat.chat_id }, ids, between);
  const senders = new Map(
    known.map(({ business_connection_id, id, sender }) => [`${id} ${business_connection_id}`, sender]),
  );
  return ({ id, business_connection_id: connection }) => senders.get(`${id} ${connection}`);
}
