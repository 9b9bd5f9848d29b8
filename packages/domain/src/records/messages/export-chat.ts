import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { positionOf } from '../history/find-message-position.ts';
import { type Message, type MessageCursor, type MessageFilter, messageStore } from './message-store.ts';

const PAGE = 1_000;

/**
 * All messages of a chat that match the filter, newest first. Each page is read when it is needed, so memory does not
 * grow with the chat and no transaction stays open. Deleted messages and those stored meanwhile are left out.
 */
export async function* exportChat(
  db: Database,
  chat: ChatOfBot,
  filter: MessageFilter = {},
): AsyncGenerator<Message, void, undefined> {
  const messages = messageStore(db);
  let before: MessageCursor | null = null;
  for (;;) {
    const page: Message[] = await messages.list(chat, {
      limit: PAGE,
      offset: 0,
      before,
      include_deleted: false,
      filter,
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    before = positionOf(last);
  }
}
