import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { positionOf } from '../history/find-message-position.ts';
import { type Message, type MessageCursor, type MessageShown, messageStore } from './message-store.ts';

/** Part of a chat's messages, newest first, and whether there are more at both ends. */
export interface MessageWindow {
  messages: Message[];
  hasNewer: boolean;
  hasOlder: boolean;
}

type Wanted = MessageShown & { limit: number };

/** The messages that came right after a position. */
export async function listMessagesAfter(
  db: Database,
  chat: ChatOfBot,
  after: MessageCursor,
  wanted: Wanted,
): Promise<MessageWindow> {
  const store = messageStore(db);
  const { newer, hasNewer } = await newerThan(store, chat, after, wanted);
  const oldest = newer.at(-1);
  const older = oldest === undefined ? [] : await store.list(chat, { ...wanted, ...olderThan(positionOf(oldest), 1) });
  return { messages: newer, hasNewer, hasOlder: older.length > 0 };
}

/** The messages on both sides of a position, which is listed itself: up to half of them newer, the others older. */
export async function listMessagesAround(
  db: Database,
  chat: ChatOfBot,
  position: MessageCursor,
  wanted: Wanted,
): Promise<MessageWindow> {
  const store = messageStore(db);
  const { newer, hasNewer } = await newerThan(store, chat, position, {
    ...wanted,
    limit: Math.floor((wanted.limit - 1) / 2),
  });
  const room = wanted.limit - newer.length;
  const rest = await store.list(chat, { ...wanted, ...olderThan(position, room + 1), included: true });
  return { messages: [...newer, ...rest.slice(0, room)], hasNewer, hasOlder: rest.length > room };
}

async function newerThan(
  store: ReturnType<typeof messageStore>,
  chat: ChatOfBot,
  after: MessageCursor,
  { limit, ...shown }: Wanted,
): Promise<{ newer: Message[]; hasNewer: boolean }> {
  const oldestFirst = await store.listAfter(chat, { ...shown, limit: limit + 1, after });
  return { newer: oldestFirst.slice(0, limit).reverse(), hasNewer: oldestFirst.length > limit };
}

function olderThan(before: MessageCursor, limit: number) {
  return { before, limit, offset: 0 };
}
