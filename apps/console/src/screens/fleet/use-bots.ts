import type { BotResource } from '@flotilla/contract/bots.ts';
import { keepPreviousData, queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { callPage } from '../../call.ts';
import { REFRESH_MS } from '../../queries.ts';
import type { FleetFilter } from './fleet-filter.ts';

const PAGE = 100;

/** Loads the pages of the list that are on the screen, and no others: a fleet may have 10,000 bots. */
export function useBots(filter: FleetFilter) {
  const [[first, last], setShown] = useState([0, 0]);
  const shows = useCallback((from: number, to: number) => setShown([from, to]), []);
  const head = useQuery(pageOf(filter, 0));
  const total = head.data?.total ?? 0;
  const [firstPage, lastPage] = [first, Math.min(last, total - 1)].map((row) => Math.max(0, Math.floor(row / PAGE)));
  const numbers = Array.from({ length: lastPage! - firstPage! + 1 }, (_, at) => firstPage! + at);
  const pages = useQueries({ queries: numbers.map((page) => pageOf(filter, page)) });
  const rowAt = (index: number): BotResource | undefined => {
    const page = index < PAGE ? head : pages[numbers.indexOf(Math.floor(index / PAGE))];
    return page?.data?.rows[index % PAGE];
  };
  return { head, total, rowAt, shows };
}

function pageOf({ range: _, ...filter }: FleetFilter, page: number) {
  return queryOptions({
    queryKey: ['bots', filter, page],
    queryFn: ({ signal }) => callPage('listBots', { ...filter, limit: PAGE, offset: page * PAGE }, signal),
    refetchInterval: REFRESH_MS,
    // The rows of the last filter stay until those of this one are there. Other pages would show wrong rows.
    ...(page === 0 ? { placeholderData: keepPreviousData } : {}),
  });
}
