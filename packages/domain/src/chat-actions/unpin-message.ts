import type { Actor } from '../audit/actor.ts';
import type { Bot } from '../bots/bot.ts';
import { actInChat } from './act-in-chat.ts';
import type { ChatActionDeps } from './chat-action-deps.ts';
import type { MessageOfChat } from './message-of-chat.ts';

/** Unpins a message. Throws as actInChat does. */
export function unpinMessage(deps: ChatActionDeps, bot: Bot, by: Actor, message: MessageOfChat): Promise<void> {
  const params = { message_id: message.messageId };
  return actInChat(deps, bot, by, { method: 'unpinChatMessage', chatId: message.chatId, params });
}
