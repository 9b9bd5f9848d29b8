import type { OutboxEntryResource as Entry, OutboxState } from '@flotilla/contract/outbox.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call, callPage } from '../../call.ts';
import { usePages } from '../../parts/use-pages.ts';
import { REFRESH_MS } from '../../queries.ts';
import { conditionsOf, type OutboxFilter } from './outbox-filter.ts';

/** What begins the key of every query about the outbox. */
export const OUTBOX = 'outbox';
const PAGE = 50;

export function useEntries(filter: OutboxFilter) {
  const input = inputOf(filter);
  return usePages<Entry>([OUTBOX, 'list', input], (page, signal) =>
    callPage('listOutbox', { ...input, ...page, limit: PAGE }, signal),
  );
}

type Counts = Record<OutboxState, number>;

/** How many match in each state; undefined while that is not known. */
export function useCounts(filter: OutboxFilter): { counts: Counts | undefined; isPending: boolean } {
  const input = conditionsOf(filter);
  const { data, isPending } = useQuery({
    queryKey: [OUTBOX, 'counts', input],
    queryFn: ({ signal }) => call('countOutbox', input, signal),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  return { counts: data, isPending };
}

export function inputOf(filter: OutboxFilter) {
  return { ...conditionsOf(filter), ...(filter.state === undefined ? {} : { state: filter.state }) };
}
