import type { Bot } from '../../fleet/bots/bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { connectionParam, findConversation } from '../chats/conversation.ts';
import { actInChat, type ChatActionDeps, type MessageOfChat } from './act-in-chat.ts';

/** Unpins a message. Throws as actInChat and findConversation do. */
export async function unpinMessage(deps: ChatActionDeps, bot: Bot, by: Actor, message: MessageOfChat): Promise<void> {
  const { chatId, messageId } = message;
  const connection = await findConversation(deps.db, { botId: bot.id, chatId }, message.businessConnectionId);
  const params = { message_id: messageId, ...connectionParam(connection) };
  return actInChat(deps, bot, by, { method: 'unpinChatMessage', chatId, params });
}
