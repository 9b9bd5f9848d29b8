import { GENERAL_TOPIC, OUTSIDE_TOPICS } from '@flotilla/telegram/message-topic.ts';
import type { UploadedFile } from '@flotilla/telegram/uploaded-file.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { connectionParam, findConversation } from '../chats/conversation.ts';
import type { Message } from './message-store.ts';
import { type PutDeps, putMessage } from './put-message.ts';

/** The media that a message can carry, by the names of their parameters in the Bot API. */
export type MediaType = 'photo' | 'video' | 'animation' | 'sticker' | 'voice' | 'audio' | 'document' | 'video_note';

/** A text, or a medium with its caption. */
export type NewContent = { text: string } | { media: MediaType; caption: string | undefined; source: MediaSource };

/** A file of our caller, a file that the platform has, or an address from which the platform fetches it. */
export type MediaSource = Omit<UploadedFile, 'field'> | string;

export interface MessageToSend {
  chat_id: number;
  /** Undefined: the only conversation of the chat; '': the chat of the bot itself. */
  business_connection_id?: string | undefined;
  content: NewContent;
  parse_mode?: string | undefined;
  reply_to_message_id?: number | undefined;
  /** A topic; 0 is none, and 1 is General, which the platform takes without a thread only. */
  thread_id?: number | undefined;
  /** Of a channel's direct messages. */
  direct_messages_topic_id?: number | undefined;
  silent?: boolean | undefined;
  /** The form of the Bot API. */
  reply_markup?: object | undefined;
}

/** Sends a message as the bot. Throws as putMessage and findConversation do. */
export async function sendMessage(deps: PutDeps, bot: Bot, by: Actor, wanted: MessageToSend): Promise<Message> {
  const {
    chat_id,
    content,
    parse_mode,
    reply_to_message_id,
    thread_id,
    direct_messages_topic_id,
    silent,
    reply_markup,
  } = wanted;
  const connection = await findConversation(deps.db, { bot_id: bot.id, chat_id }, wanted.business_connection_id);
  const params = {
    chat_id,
    ...connectionParam(connection),
    parse_mode,
    message_thread_id: namedThread(chat_id, thread_id),
    direct_messages_topic_id,
    disable_notification: silent,
    reply_parameters: reply_to_message_id === undefined ? undefined : { message_id: reply_to_message_id },
    reply_markup,
  };
  if ('text' in content) {
    return putMessage(deps, bot, by, {
      action: 'send',
      method: 'sendMessage',
      params: { ...params, text: content.text },
    });
  }
  const { media, caption, source } = content;
  const method = SEND_METHODS[media];
  if (typeof source === 'string') {
    return putMessage(deps, bot, by, { action: 'send', method, params: { ...params, caption, [media]: source } });
  }
  const file = { ...source, field: media };
  return putMessage(deps, bot, by, { action: 'send', method, params: { ...params, caption }, file });
}

/** The first message of a bot may be the topic 1 of a private chat; elsewhere 1 is General. */
function namedThread(chatId: number, threadId = OUTSIDE_TOPICS): number | undefined {
  const isNone = threadId === OUTSIDE_TOPICS || (threadId === GENERAL_TOPIC && chatId < 0);
  return isNone ? undefined : threadId;
}

const SEND_METHODS: Record<MediaType, string> = {
  photo: 'sendPhoto',
  video: 'sendVideo',
  animation: 'sendAnimation',
  sticker: 'sendSticker',
  voice: 'sendVoice',
  audio: 'sendAudio',
  document: 'sendDocument',
  video_note: 'sendVideoNote',
};
