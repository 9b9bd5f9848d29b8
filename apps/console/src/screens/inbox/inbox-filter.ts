import type { ChatQueue } from '@flotilla/contract/chat-queues.ts';
import type { ChatResource } from '@flotilla/contract/chats.ts';
import { given, readId, readText } from '../../parts/filters.tsx';

export const TYPES = ['private', 'group', 'supergroup', 'channel'] as const satisfies readonly ChatResource['type'][];

/** The queues, in the order of the page. */
export const QUEUES = ['waiting', 'mine', 'unassigned', 'held', 'done', 'all'] as const satisfies readonly ChatQueue[];

/** The filter of the list of chats, as the address has it. */
export type InboxFilter = {
  queue?: ChatQueue;
  bot?: string;
  type?: ChatResource['type'];
  tag?: string;
  q?: string;
  unread?: '1';
};

/** Queues whose chats are sorted by how long they wait. */
export function isSortedByWaiting({ queue }: InboxFilter): boolean {
  return queue === 'waiting' || queue === 'unassigned';
}

/** Addresses of before had a mark for each of these. */
const FORMER_MARKS = { awaits: 'waiting', held: 'held', mine: 'mine' } as const;

/** And about the chat: the message around which it is shown, the topic of which alone, and the business connection. */
export type InboxSearch = InboxFilter & { around?: string; topic?: string; connection?: string };

export function readInboxSearch(search: Record<string, unknown>): InboxSearch {
  const { queue, bot, type, tag, q, unread, around, topic, connection } = search;
  const former = Object.entries(FORMER_MARKS).find(([mark]) => search[mark] === '1')?.[1];
  return given({
    queue: QUEUES.find((one) => one === queue && one !== 'all') ?? former,
    bot: readId(bot),
    type: TYPES.find((one) => one === type),
    tag: readText(tag),
    q: readText(q),
    unread: unread === '1' ? ('1' as const) : undefined,
    around: readId(around),
    topic: readId(topic),
    connection: readText(connection),
  });
}
