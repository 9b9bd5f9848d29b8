import type { QueryClient } from '@tanstack/react-query';

export const UNREAD_CHATS = ['unread-chats'];

/** One chat less is unread: it was read on this page. */
export function countRead(queries: QueryClient): void {
  queries.setQueryData<{ chats: number }>(UNREAD_CHATS, (known) => known && { chats: Math.max(0, known.chats - 1) });
}
