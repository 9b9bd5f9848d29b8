import type { Bot } from '../../fleet/bots/bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { findConversation } from '../chats/conversation.ts';
import { actInChat, type ChatActionDeps, type MessageOfChat } from './act-in-chat.ts';

/** Deletes a message at the platform and marks it deleted in our records. Throws as actInChat and findConversation do. */
export async function deleteMessage(deps: ChatActionDeps, bot: Bot, by: Actor, message: MessageOfChat): Promise<void> {
  const { chatId, messageId } = message;
  const chat = { botId: bot.id, chatId };
  const businessConnectionId = await findConversation(deps.db, chat, message.businessConnectionId);
  const call =
    businessConnectionId === ''
      ? { method: 'deleteMessage', params: { message_id: messageId } }
      : {
          method: 'deleteBusinessMessages',
          params: { business_connection_id: businessConnectionId, message_ids: JSON.stringify([messageId]) },
        };
  return actInChat(deps, bot, by, {
    ...call,
    chatId,
    effects: [
      { type: 'delete', businessConnectionId, chat: chatId, messageIds: [messageId], atMs: deps.clock.nowMs() },
    ],
  });
}
