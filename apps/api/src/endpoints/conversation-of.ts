import { type Conversation, findKeptConversation } from '@flotilla/domain/records/chats/conversation.ts';
import type { Context } from '../context.ts';

/** The conversation that a call is about. */
export function conversationOf(
  { db }: Pick<Context, 'db'>,
  bot: { id: number },
  input: { chat_id: number; business_connection_id?: string | undefined },
): Promise<Conversation> {
  return findKeptConversation(db, { bot_id: bot.id, chat_id: input.chat_id }, input.business_connection_id);
}
