import { keepPreviousData, type QueryKey, queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { REFRESH_MS } from '../queries.ts';

/** start.ts asks for the first page of the fleet by this size. */
const PAGE = 50;

type Rows<Row> = { rows: Row[]; total: number };
type FetchRows<Row> = (page: { limit: number; offset: number }, signal: AbortSignal) => Promise<Rows<Row>>;

/** The rows of a long list for a virtual table: only the pages that are on the screen are loaded, and asked for again. */
export function useRowPages<Row>(key: QueryKey, fetchRows: FetchRows<Row>) {
  const [[first, last], setShown] = useState([0, 0]);
  const shows = useCallback((from: number, to: number) => setShown([from, to]), []);
  const head = useQuery(rowPage(key, fetchRows, 0));
  const total = head.data?.total ?? 0;
  const [firstPage, lastPage] = [first, Math.min(last, total - 1)].map((row) => Math.max(0, Math.floor(row / PAGE)));
  const numbers = Array.from({ length: lastPage! - firstPage! + 1 }, (_, at) => firstPage! + at);
  const pages = useQueries({ queries: numbers.map((page) => rowPage(key, fetchRows, page)) });
  const rowAt = (index: number): Row | undefined => {
    const page = index < PAGE ? head : pages[numbers.indexOf(Math.floor(index / PAGE))];
    return page?.data?.rows[index % PAGE];
  };
  return { head, total, rowAt, shows };
}

/** One page of such a list. */
export function rowPage<Row>(key: QueryKey, fetchRows: FetchRows<Row>, page: number) {
  return queryOptions({
    queryKey: [...key, page],
    queryFn: ({ signal }) => fetchRows({ limit: PAGE, offset: page * PAGE }, signal),
    refetchInterval: REFRESH_MS,
    // The rows of the last filter stay until those of this one are there. Other pages would show wrong rows.
    ...(page === 0 ? { placeholderData: keepPreviousData } : {}),
  });
}
