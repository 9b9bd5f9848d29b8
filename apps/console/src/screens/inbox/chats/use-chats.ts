import type { ChatResource } from '@flotilla/contract/chats.ts';
import { keepPreviousData, type QueryClient, queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { callPage } from '../../../call.ts';
import { REFRESH_MS } from '../../../queries.ts';
import { countRead } from '../../../shell/unread-chats.ts';
import type { ChatId } from '../chat/use-window.ts';
import { type InboxFilter, isSortedByWaiting } from '../inbox-filter.ts';

const PAGE = 100;

export const CHATS = 'chats';

/** Loads the pages of the list that are on the screen. */
export function useChats(filter: InboxFilter) {
  const [[first, last], setShown] = useState([0, 0]);
  const shows = useCallback((from: number, to: number) => setShown([from, to]), []);
  const head = useQuery(pageOf(filter, 0));
  const total = head.data?.total ?? 0;
  const [firstPage, lastPage] = [first, Math.min(last, total - 1)].map((row) => Math.max(0, Math.floor(row / PAGE)));
  const numbers = Array.from({ length: lastPage! - firstPage! + 1 }, (_, at) => firstPage! + at);
  const pages = useQueries({ queries: numbers.map((page) => pageOf(filter, page)) });
  const rowAt = (index: number): ChatResource | undefined => {
    const page = index < PAGE ? head : pages[numbers.indexOf(Math.floor(index / PAGE))];
    return page?.data?.rows[index % PAGE];
  };
  const stale = head.isPending || head.isPlaceholderData;
  return { head, shows, list: { of: filter, total, rowAt, keyOf: chatKey, stale } };
}

type KeyFields = Pick<ChatResource, 'bot_id' | 'id' | 'business_connection_id'>;

export function chatKey({ bot_id, id, business_connection_id: of }: KeyFields): string {
  return of === undefined ? `${bot_id}:${id}` : `${bot_id}:${id}:${of}`;
}

type Listed = { rows?: ChatResource[] };

/** A chat as a list has it, if one does. */
export function knownChat(queries: QueryClient, chat: ChatId): ChatResource | undefined {
  const pages = queries.getQueriesData<Listed>({ queryKey: [CHATS] });
  return pages.flatMap(([, page]) => page?.rows ?? []).find(isOf(chat));
}

/** Lists the chat as read up to its newest message, as the api will. */
export function noteRead(queries: QueryClient, read: ChatId, messageId: number): void {
  if ((knownChat(queries, read)?.unread ?? 0) > 0) countRead(queries);
  queries.setQueriesData<Listed>({ queryKey: [CHATS] }, (page) => {
    if (!page?.rows?.some(isOf(read))) return page;
    const rows = page.rows.map((chat) =>
      isOf(read)(chat) ? { ...chat, unread: 0, read_message_id: messageId } : chat,
    );
    return { ...page, rows };
  });
}

function isOf({ bot_id, chat_id, connection }: ChatId): (chat: ChatResource) => boolean {
  const key = chatKey({ bot_id, id: chat_id, business_connection_id: connection });
  return (chat) => chatKey(chat) === key;
}

export function pageOf(shown: InboxFilter, page: number) {
  const { bot, unread, ...filter } = shown;
  const input = {
    ...filter,
    ...(bot === undefined ? {} : { bot_id: bot }),
    ...(unread === undefined ? {} : { unread: true }),
    order: isSortedByWaiting(shown) ? ('waiting' as const) : ('recent' as const),
  };
  return queryOptions({
    queryKey: [CHATS, input, page],
    queryFn: ({ signal }) => callPage('listChats', { ...input, limit: PAGE, offset: page * PAGE }, signal),
    refetchInterval: REFRESH_MS,
    // The rows of the last filter stay until those of this one are there. Other pages would show wrong rows.
    ...(page === 0 ? { placeholderData: keepPreviousData } : {}),
  });
}
