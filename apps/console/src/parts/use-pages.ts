import { keepPreviousData, type Query, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { REFRESH_MS } from '../queries.ts';

type Fetched<Row> = { rows: Row[]; total: number; next: string | null };
type FetchPage<Row> = (page: { before?: string }, signal: AbortSignal) => Promise<Fetched<Row>>;

/** How near the end of what is loaded the next page is asked for, in rows. */
const AHEAD = 20;

/** A list that is loaded page after page, as somebody comes near the end of what is there. */
export function usePages<Row>(queryKey: QueryKey, fetchPage: FetchPage<Row>, enabled = true) {
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam === null ? {} : { before: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    enabled,
    // Who reads older pages is not moved by new rows.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : REFRESH_MS),
  });
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? [];
  const { fetchNextPage, hasNextPage, isFetching } = pages;
  const loaded = rows.length;
  const shows = useCallback(
    (_: number, last: number) => {
      if (hasNextPage && !isFetching && last >= loaded - AHEAD) void fetchNextPage();
    },
    [fetchNextPage, hasNextPage, isFetching, loaded],
  );
  return { ...pages, rows, total: pages.data?.pages[0]?.total ?? 0, shows };
}

/** True if somebody is at older pages of the list, or loads one: asking for it anew would cancel that. */
export function isAtOlderPages({ state }: Query): boolean {
  const { pages = [] } = (state.data ?? {}) as { pages?: unknown[] };
  return pages.length > 1 || (state.fetchStatus !== 'idle' && state.fetchMeta?.fetchMore !== undefined);
}
