import type { COUNTED_ENTRIES, OutboxEntryResource as Entry, OutboxState } from '@flotilla/contract/outbox.ts';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call, callPage } from '../../call.ts';
import { atOnceAndAfter } from '../../live/at-once-and-after.ts';
import { useLive } from '../../live.ts';
import { useNumber } from '../../parts/time.tsx';
import { isAtOlderPages, usePages } from '../../parts/use-pages.ts';
import { REFRESH_MS } from '../../queries.ts';
import { conditionsOf, type OutboxFilter } from './outbox-filter.ts';

export const OUTBOX = 'outbox';
const PAGE = 50;
/** The entry is settled a moment after its call. */
const SETTLE_MS = 1_500;

export function useEntries(filter: OutboxFilter) {
  const input = inputOf(filter);
  return usePages<Entry>([OUTBOX, 'list', input], (page, signal) =>
    callPage('listOutbox', { ...input, ...page, limit: PAGE }, signal),
  );
}

type Counts = Record<OutboxState, number>;

/** Asks again when the bot made a call: it may have been one of its outbox. */
export function useOutboxLive(botId: number): void {
  const queries = useQueryClient();
  const askAgain = useMemo(
    () =>
      atOnceAndAfter(SETTLE_MS, () => {
        void queries.invalidateQueries({ queryKey: [OUTBOX], predicate: (query) => !isAtOlderPages(query) });
      }),
    [queries],
  );
  useLive([`bot:${botId}`], (event) => {
    if (event.name === 'call') askAgain();
  });
}

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

/** The api counts up to so many. */
const COUNTED: typeof COUNTED_ENTRIES = 10_000;

export function isUncounted(count: number | undefined): boolean {
  return (count ?? 0) >= COUNTED;
}

/** A count in figures: "10,000+" from where the api no longer counts. */
export function useCounted(): (count: number, isMore?: boolean) => string {
  const number = useNumber();
  return (count, isMore = isUncounted(count)) => `${number(count)}${isMore ? '+' : ''}`;
}

export function inputOf(filter: OutboxFilter) {
  return { ...conditionsOf(filter), ...(filter.state === undefined ? {} : { state: filter.state }) };
}
