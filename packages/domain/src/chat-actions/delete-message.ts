import type { Actor } from '../audit/actor.ts';
import type { Bot } from '../bots/bot.ts';
import { actInChat, type ChatActionDeps, type MessageOfChat } from './act-in-chat.ts';

/** Deletes a message at the platform and marks it deleted in our records. Throws as actInChat does. */
export function deleteMessage(deps: ChatActionDeps, bot: Bot, by: Actor, message: MessageOfChat): Promise<void> {
  const { chatId, messageId } = message;
  return actInChat(deps, bot, by, {
    method: 'deleteMessage',
    chatId,
    params: { message_id: messageId },
    effects: [
      { type: 'delete', businessConnectionId: '', chat: chatId, messageIds: [messageId], atMs: deps.clock.nowMs() },
    ],
  });
}
