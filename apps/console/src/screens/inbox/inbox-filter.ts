import type { ChatResource } from '@flotilla/contract/chats.ts';
import { given, readId, readText } from '../../parts/filters.tsx';

export const TYPES = ['private', 'group', 'supergroup', 'channel'] as const satisfies readonly ChatResource['type'][];

export type InboxFilter = { bot?: string; type?: ChatResource['type']; q?: string } & {
  [Name in Marked]?: '1';
};

/** What narrows the list down with one press. */
export const MARKED = ['unread', 'awaits', 'held', 'mine'] as const;
type Marked = (typeof MARKED)[number];
/** And about the chat: the message around which it is shown, the topic of which alone, and the business connection. */
export type InboxSearch = InboxFilter & { around?: string; topic?: string; connection?: string };

export function readInboxSearch({
  bot,
  type,
  q,
  around,
  topic,
  connection,
  ...marks
}: Record<string, unknown>): InboxSearch {
  return given({
    bot: readId(bot),
    type: TYPES.find((one) => one === type),
    q: readText(q),
    ...Object.fromEntries(MARKED.map((name) => [name, marks[name] === '1' ? ('1' as const) : undefined])),
    around: readId(around),
    topic: readId(topic),
    connection: readText(connection),
  });
}
