import { type GroupMove, readGroupMove, SHARED_CHATS_BELOW } from './group-move.ts';
import { type MessageDetails, readMessageDetails } from './message-details.ts';
import { type MediaType, readMessageMedia } from './message-media.ts';
import { readMessageService } from './message-service.ts';
import { readMessageText } from './message-text.ts';
import { type MessageTopic, readMessageTopic } from './message-topic.ts';
import { type Fields, readInteger, readObject, readText, requireInteger } from './platform-fields.ts';

export interface ChatFacts {
  id: number;
  type: string;
  title: string | null;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
}

export interface SenderFacts {
  id: number;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  is_bot: boolean;
  /** The language of their app, an IETF tag. */
  language_code: string | null;
  /** True for a channel or an anonymous admin: a chat that writes as itself and is no user. */
  isChat: boolean;
}

export interface MessageFacts {
  /** The platform's id of the message; negative for an ephemeral one, see `ephemeralRowId`. */
  id: number;
  /** '' outside a business connection. */
  business_connection_id: string;
  chat: ChatFacts;
  /** See `authorOf`; null when the platform names nobody. */
  sender: SenderFacts | null;
  /** The bot that wrote on behalf of a business account. */
  senderBusinessBotId: number | null;
  /** A greeting, away or scheduled message of a business account, which the platform sent by itself. */
  is_from_offline: boolean;
  dateS: number;
  editDateS: number | null;
  /** Its words, or the label of its service if it has none. */
  text: string | null;
  media_type: MediaType | null;
  file_id: string | null;
  /** The kind of a message that has no medium but is more than its words. */
  service: string | null;
  reply_to_message_id: number | null;
  details: MessageDetails | null;
  topic: MessageTopic | null;
  groupMove: GroupMove | null;
}

/** Reads a Message of the Bot API. Throws bad_request when an id or the date is missing or beyond 2^53. */
export function readMessageFacts(message: Fields): MessageFacts {
  const businessBot = readObject(message, 'sender_business_bot');
  const media = readMessageMedia(message);
  const words = readMessageText(message);
  const service = media === null ? readMessageService(message, words) : null;
  return {
    id: idOfMessage(message) ?? requireInteger(message, 'message_id'),
    business_connection_id: readText(message, 'business_connection_id') ?? '',
    chat: readChatFacts(readObject(message, 'chat') ?? {}),
    sender: readAuthorFacts(message),
    senderBusinessBotId: businessBot === null ? null : readInteger(businessBot, 'id'),
    is_from_offline: message.is_from_offline === true,
    dateS: requireInteger(message, 'date'),
    editDateS: readInteger(message, 'edit_date'),
    text: service === null ? words : words || service.label,
    media_type: media?.media_type ?? null,
    file_id: media?.file_id ?? null,
    service: service?.service ?? null,
    reply_to_message_id: readRepliedMessageId(message),
    details: readMessageDetails(message, media?.file ?? null),
    topic: readMessageTopic(message),
    groupMove: readGroupMove(message),
  };
}

/**
 * The message that this one answers; null if it answers none. A message of a topic that answers none names the message that made
 * the topic, whose id is that of the topic.
 */
function readRepliedMessageId(message: Fields): number | null {
  const reply = readObject(message, 'reply_to_message');
  if (reply === null) return null;
  const id = idOfMessage(reply);
  const isHeadOfTopic = message.is_topic_message === true && id === readInteger(message, 'message_thread_id');
  return isHeadOfTopic ? null : id;
}

/** The id of a Message of the Bot API in our history, or null. Throws bad_request for one beyond 2^53. */
export function idOfMessage(message: Fields): number | null {
  const ephemeral = readInteger(message, 'ephemeral_message_id');
  return ephemeral === null ? readInteger(message, 'message_id') : ephemeralRowId(ephemeral);
}

/** Ephemeral messages all have the message id 0. Below these ids are no negated ids of updates, which have 31 bits. */
export function ephemeralRowId(ephemeralMessageId: number): number {
  return -(2 ** 40 + ephemeralMessageId);
}

/** Reads a Chat of the Bot API. Throws bad_request without an id that is an exact integer. */
export function readChatFacts(chat: Fields): ChatFacts {
  const id = requireInteger(chat, 'id');
  return {
    id,
    type: readText(chat, 'type') ?? guessChatType(id),
    title: readText(chat, 'title'),
    username: readText(chat, 'username'),
    first_name: readText(chat, 'first_name'),
    last_name: readText(chat, 'last_name'),
  };
}

/** Reads a User of the Bot API. Throws bad_request without an id that is an exact integer. */
export function readUserFacts(user: Fields): SenderFacts {
  return {
    id: requireInteger(user, 'id'),
    username: readText(user, 'username'),
    first_name: readText(user, 'first_name'),
    last_name: readText(user, 'last_name'),
    is_bot: user.is_bot === true,
    language_code: readText(user, 'language_code'),
    isChat: false,
  };
}

/** The type that the id alone reveals: users are positive, basic groups negative. */
export function guessChatType(chatId: number): string {
  if (chatId > 0) return 'private';
  return chatId < SHARED_CHATS_BELOW ? 'supergroup' : 'group';
}

/** True for an object with the fields that every Message has. */
export function isMessage(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false;
  return 'message_id' in value && 'date' in value && 'chat' in value;
}

/** GroupAnonymousBot, the platform's stand-in for an anonymous admin (td, get_group_anonymous_bot_user_id). */
const ANONYMOUS_ADMIN = 1_087_968_824;

/**
 * The chat or user who wrote a message or changed a member. A chat that acts as itself comes first, since `from` is then a
 * stand-in: GroupAnonymousBot, Channel_Bot or Telegram. Null when the platform names nobody.
 */
export function authorOf(message: Fields): Fields | null {
  const [senderChat, from] = [readObject(message, 'sender_chat'), readObject(message, 'from')];
  if (senderChat !== null) return senderChat;
  // A change of a member has no `sender_chat`.
  return from?.id === ANONYMOUS_ADMIN ? (readObject(message, 'chat') ?? from) : from;
}

/** Reads who `authorOf` finds. Throws bad_request for an id that is no exact integer. */
export function readAuthorFacts(message: Fields): SenderFacts | null {
  const author = authorOf(message);
  if (author === null) return null;
  if (author === message.from) return readUserFacts(author);
  const chat = readChatFacts(author);
  return { ...chat, first_name: chat.title ?? chat.first_name, is_bot: false, language_code: null, isChat: true };
}
