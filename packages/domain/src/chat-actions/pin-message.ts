import type { Actor } from '../audit/actor.ts';
import type { Bot } from '../bots/bot.ts';
import { actInChat, type ChatActionDeps, type MessageOfChat } from './act-in-chat.ts';

/** Pins a message. Throws as actInChat does. */
export function pinMessage(deps: ChatActionDeps, bot: Bot, by: Actor, message: MessageOfChat): Promise<void> {
  const params = { message_id: message.messageId };
  return actInChat(deps, bot, by, { method: 'pinChatMessage', chatId: message.chatId, params });
}
