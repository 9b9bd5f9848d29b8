import type { Bot } from '../../fleet/bots/bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { findConversation } from '../chats/conversation.ts';
import { actInChat, type ChatActionDeps, type MessageOfChat } from './act-in-chat.ts';

/** Deletes a message at the platform and marks it deleted in our records. Throws as actInChat and findConversation do. */
export async function deleteMessage(deps: ChatActionDeps, bot: Bot, by: Actor, message: MessageOfChat): Promise<void> {
  const { chat_id, message_id } = message;
  const chat = { bot_id: bot.id, chat_id };
  const business_connection_id = await findConversation(deps.db, chat, message.business_connection_id);
  const call =
    business_connection_id === ''
      ? { method: 'deleteMessage', params: { message_id } }
      : {
          method: 'deleteBusinessMessages',
          params: { business_connection_id, message_ids: JSON.stringify([message_id]) },
        };
  return actInChat(deps, bot, by, {
    ...call,
    chat_id,
    effects: [
      {
        type: 'delete',
        business_connection_id,
        chat: chat_id,
        messageIds: [message_id],
        atMs: deps.clock.nowMs(),
      },
    ],
  });
}
