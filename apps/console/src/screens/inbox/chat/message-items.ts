import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { keyOf, type WindowMessage } from './message-window.ts';

/** What stands together in the chat: a message, or the messages of an album. */
export type MessageItem = {
  key: string;
  messages: readonly [WindowMessage, ...WindowMessage[]];
  /** The first one of its day. */
  startsDay: boolean;
  /** By the same sender as the one before, and soon after it: the name need not be said again. */
  continues: boolean;
};

const SOON_S = 300;

/** Groups messages, which come with the oldest first. */
export function itemsOf(messages: readonly WindowMessage[]): MessageItem[] {
  const items: MessageItem[] = [];
  for (const message of messages) {
    const last = items.at(-1);
    const before = last?.messages.at(-1);
    if (last && before && message.media_group_id !== undefined && message.media_group_id === before.media_group_id) {
      items[items.length - 1] = { ...last, messages: [...last.messages, message] };
      continue;
    }
    const startsDay = before === undefined || dayOf(before) !== dayOf(message);
    items.push({
      key: message.media_group_id === undefined ? keyOf(message) : `album ${message.media_group_id}`,
      messages: [message],
      startsDay,
      continues: !startsDay && isSpoken(message) && isSpoken(before) && isSameSender(before, message),
    });
  }
  return items;
}

/** True if several write: in a group, as opposed to the posts of a channel. */
export function isOfMany(messages: readonly Message[]): boolean {
  return messages.some(
    ({ chat_id: chatId, user_id: userId, outgoing }) =>
      chatId < 0 && !outgoing && userId !== undefined && userId !== chatId,
  );
}

/** An event of the chat, as opposed to what somebody says. */
const EVENTS = [
  ...['joined', 'left', 'pinned', 'title_changed', 'photo_changed', 'photo_deleted', 'chat_created', 'migrated'],
  ...['ban', 'unban', 'message_auto_delete_timer_changed', 'forum_topic_created', 'forum_topic_edited'],
  ...['forum_topic_closed', 'forum_topic_reopened', 'video_chat_started', 'video_chat_ended', 'boost_added'],
];

/** The row of an update that is no message has a negative id of 32 bits; kinds that are newer than this release have such rows, too. */
const LEAST_EVENT_ID = -(2 ** 32);

export function isEvent({ id, service, media_type }: Message): boolean {
  const isOfUpdate = id < 0 && id >= LEAST_EVENT_ID;
  return media_type === 'callback' || (service !== undefined && (isOfUpdate || EVENTS.includes(service)));
}

function isSpoken(message: Message): boolean {
  return !isEvent(message);
}

function isSameSender(a: Message, b: Message): boolean {
  const isSame = a.outgoing === b.outgoing && a.user_id === b.user_id && a.program_id === b.program_id;
  return isSame && !a.automatic && !b.automatic && b.date - a.date < SOON_S;
}

function dayOf({ date }: Message): string {
  return new Date(date * 1000).toDateString();
}
