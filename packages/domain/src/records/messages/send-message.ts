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
  chatId: number;
  /** Undefined: the only conversation of the chat; '': the chat of the bot itself. */
  businessConnectionId?: string | undefined;
  content: NewContent;
  parseMode?: string | undefined;
  replyToMessageId?: number | undefined;
  /** A topic; 0 is none, and 1 is General, which the platform takes without a thread only. */
  threadId?: number | undefined;
  /** Of a channel's direct messages. */
  directMessagesTopicId?: number | undefined;
  silent?: boolean | undefined;
  /** The form of the Bot API. */
  replyMarkup?: object | undefined;
}

/** Sends a message as the bot. Throws as putMessage and findConversation do. */
export async function sendMessage(deps: PutDeps, bot: Bot, by: Actor, wanted: MessageToSend): Promise<Message> {
  const { chatId, content, parseMode, replyToMessageId, threadId, directMessagesTopicId, silent, replyMarkup } = wanted;
  const connection = await findConversation(deps.db, { botId: bot.id, chatId }, wanted.businessConnectionId);
  const params = {
    chat_id: chatId,
    ...connectionParam(connection),
    parse_mode: parseMode,
    message_thread_id: namedThread(chatId, threadId),
    direct_messages_topic_id: directMessagesTopicId,
    disable_notification: silent,
    reply_parameters: replyToMessageId === undefined ? undefined : { message_id: replyToMessageId },
    reply_markup: replyMarkup,
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
