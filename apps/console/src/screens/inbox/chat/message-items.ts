import type { DeskEntryResource } from '@flotilla/contract/desk-log.ts';
import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { keyOf, type MessageWindow, type WindowMessage } from './message-window.ts';

type Item = {
  key: string;
  /** The first one of its day. */
  startsDay: boolean;
};

/** A message, or the messages of an album. */
export type MessageItem = Item & {
  messages: readonly [WindowMessage, ...WindowMessage[]];
  /** By the same sender as the one before, and soon after it: the name need not be said again. */
  continues: boolean;
};

/** An act of the team on the chat, or a note about it. */
export type DeskItem = Item & { messages: readonly []; entry: DeskEntryResource };
export type StreamItem = MessageItem | DeskItem;

const SOON_S = 300;

/** Messages with what stands beside them: that which is older than the first loaded message waits for it. */
export function streamOf(
  { messages, hasOlder, hasNewer }: MessageWindow,
  log: readonly DeskEntryResource[],
): StreamItem[] {
  const [first, last] = [messages[0]?.date ?? 0, messages.at(-1)?.date ?? 0];
  const shown = log.filter(({ date }) => (!hasOlder || date >= first) && (!hasNewer || date <= last));
  const items: StreamItem[] = itemsOf(messages);
  for (const entry of shown.toReversed()) {
    const at = items.findLastIndex((item) => dateOf(item) <= entry.date) + 1;
    items.splice(at, 0, { key: keyOfEntry(entry), messages: [], entry, startsDay: false });
  }
  return items.map((item, at) => {
    const before = items[at - 1];
    const startsDay = before === undefined || dayOf({ date: dateOf(before) }) !== dayOf({ date: dateOf(item) });
    if ('entry' in item) return { ...item, startsDay };
    return {
      ...item,
      startsDay,
      continues: item.continues && !startsDay && before !== undefined && !('entry' in before),
    };
  });
}

function keyOfEntry({ date, note, action, account }: DeskEntryResource): string {
  return note === undefined ? `${action} ${date} ${account}` : `note ${note.id}`;
}

function dateOf(item: StreamItem): number {
  return 'entry' in item ? item.entry.date : item.messages[0].date;
}

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
    ({ chat_id, user_id, outgoing }) => chat_id < 0 && !outgoing && user_id !== undefined && user_id !== chat_id,
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
  const isSame =
    a.outgoing === b.outgoing && a.user_id === b.user_id && a.program_id === b.program_id && a.account === b.account;
  return isSame && !a.automatic && !b.automatic && b.date - a.date < SOON_S;
}

function dayOf({ date }: Pick<Message, 'date'>): string {
  return new Date(date * 1000).toDateString();
}
