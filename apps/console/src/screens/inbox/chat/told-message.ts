import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import type { LiveEvent } from '../../../live.ts';
import type { ChatId } from './use-window.ts';

/** The fields of a plain text, as the live stream has them. */
type PlatformMessage = {
  message_id?: number;
  date?: number;
  text?: string;
  from?: { id: number; username?: string; first_name?: string; last_name?: string };
  entities?: Message['entities'];
  reply_to_message?: { message_id: number };
  message_thread_id?: number;
  is_topic_message?: boolean;
  chat?: { is_forum?: boolean };
  sender_chat?: object;
  forward_origin?: object;
  reply_markup?: object;
};

/** The message of an event, if it is a plain text: it can be shown before the history has stored it. */
export function toldMessage({ bot_id, chat_id, connection }: ChatId, event: LiveEvent): Message | null {
  const told = platformMessage(event);
  if (told === null) return null;
  const { message_id: id, date, text, from, reply_to_message: reply, entities } = told;
  const thread = threadOf(told);
  const isPlain = !told.sender_chat && !told.forward_origin && !told.reply_markup;
  if (id === undefined || date === undefined || text === undefined || from === undefined || !isPlain) return null;
  const { id: user_id, username, first_name, last_name } = from;
  return {
    ...{ id, bot_id, chat_id, user_id, date, text, outgoing: event.name === 'call' },
    ...(connection && { business_connection_id: connection }),
    ...(username && { username }),
    ...(first_name && { first_name }),
    ...(last_name && { last_name }),
    ...(reply && reply.message_id !== thread && { reply_to_message_id: reply.message_id }),
    ...(thread && { thread_id: thread }),
    ...(entities && { entities }),
    ...(event.name === 'call' && programOf(event.data)),
  };
}

function programOf({ program_id, program }: { program_id?: number; program?: string }) {
  return program_id === undefined ? {} : { program_id, ...(program && { program }) };
}

/** The topic of General, whose messages name none. */
const GENERAL = 1;

function threadOf({ is_topic_message: isOfTopic, message_thread_id: id, chat }: PlatformMessage): number | undefined {
  if (isOfTopic) return id;
  return chat?.is_forum ? GENERAL : undefined;
}

/** False for an event that the messages of this conversation, or of this topic, are not about. */
export function isAbout(
  { connection, threadId }: ChatId,
  { data }: Extract<LiveEvent, { name: 'update' | 'call' }>,
): boolean {
  if (data.business_connection_id !== connection) return false;
  if (threadId === undefined) return true;
  const payload = ('update' in data ? data.update[data.kind] : data.result) as PlatformMessage | undefined;
  return payload?.chat === undefined || threadOf(payload) === threadId;
}

function platformMessage(event: LiveEvent): PlatformMessage | null {
  if (event.name === 'update' && (event.data.kind === 'message' || event.data.kind === 'business_message')) {
    return event.data.update[event.data.kind] as PlatformMessage;
  }
  if (event.name === 'call' && event.data.method === 'sendMessage') return event.data.result as PlatformMessage;
  return null;
}
