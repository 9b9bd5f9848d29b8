import type { Bot } from '../../fleet/bots/bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { connectionParam, findConversation } from '../chats/conversation.ts';
import { type Message, messageStore } from './message-store.ts';
import { type PutDeps, putMessage } from './put-message.ts';

export interface MessageEdit {
  chatId: number;
  messageId: number;
  /** Undefined: the only conversation of the chat; '': the chat of the bot itself. */
  businessConnectionId?: string | undefined;
  /** The new text, or the new caption of a medium. */
  text: string;
  parseMode?: string | undefined;
  /** The form of the Bot API; without it the platform removes the buttons. */
  replyMarkup?: object | undefined;
}

/**
 * Edits the text of a message, or the caption of a message that is stored with a medium. Throws as putMessage and findConversation do; the
 * platform refuses to edit what the bot has not sent.
 */
export async function editMessage(deps: PutDeps, bot: Bot, by: Actor, edit: MessageEdit): Promise<Message> {
  const { chatId, messageId, text, parseMode, replyMarkup } = edit;
  const chat = { botId: bot.id, chatId };
  const connection = await findConversation(deps.db, chat, edit.businessConnectionId);
  const media = await messageStore(deps.db).mediaTypeOf(chat, messageId, connection);
  const [method, field] = media === null ? ['editMessageText', 'text'] : ['editMessageCaption', 'caption'];
  const params = {
    ...connectionParam(connection),
    chat_id: chatId,
    message_id: messageId,
    [field as string]: text,
    parse_mode: parseMode,
    reply_markup: replyMarkup,
  };
  return putMessage(deps, bot, by, { action: 'edit', method: method as string, params });
}
