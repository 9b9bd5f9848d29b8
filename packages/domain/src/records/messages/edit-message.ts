import type { Bot } from '../../fleet/bots/bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { connectionParam, findConversation } from '../chats/conversation.ts';
import { type Message, messageStore } from './message-store.ts';
import { type PutDeps, putMessage } from './put-message.ts';

export interface MessageEdit {
  chat_id: number;
  message_id: number;
  /** Undefined: the only conversation of the chat; '': the chat of the bot itself. */
  business_connection_id?: string | undefined;
  /** The new text, or the new caption of a medium. */
  text: string;
  parse_mode?: string | undefined;
  /** The form of the Bot API; without it the platform removes the buttons. */
  reply_markup?: object | undefined;
}

/**
 * Edits the text of a message, or the caption of a message that is stored with a medium. Throws as putMessage and findConversation do; the
 * platform refuses to edit what the bot has not sent.
 */
export async function editMessage(deps: PutDeps, bot: Bot, by: Actor, edit: MessageEdit): Promise<Message> {
  const { chat_id, message_id, text, parse_mode, reply_markup } = edit;
  const chat = { bot_id: bot.id, chat_id };
  const connection = await findConversation(deps.db, chat, edit.business_connection_id);
  const media = await messageStore(deps.db).mediaTypeOf(chat, message_id, connection);
  const [method, field] = media === null ? ['editMessageText', 'text'] : ['editMessageCaption', 'caption'];
  const params = {
    ...connectionParam(connection),
    chat_id,
    message_id,
    [field as string]: text,
    parse_mode,
    reply_markup,
  };
  return putMessage(deps, bot, by, { action: 'edit', method: method as string, params });
}
