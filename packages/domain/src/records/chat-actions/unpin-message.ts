import type { Bot } from '../../fleet/bots/bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { connectionParam, findConversation } from '../chats/conversation.ts';
import { actInChat, type ChatActionDeps, type MessageOfChat } from './act-in-chat.ts';

/** Unpins a message. Throws as actInChat and findConversation do. */
export async function unpinMessage(deps: ChatActionDeps, bot: Bot, by: Actor, message: MessageOfChat): Promise<void> {
  const { chat_id, message_id } = message;
  const connection = await findConversation(deps.db, { bot_id: bot.id, chat_id }, message.business_connection_id);
  const params = { message_id, ...connectionParam(connection) };
  return actInChat(deps, bot, by, { method: 'unpinChatMessage', chat_id, params });
}
