import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call } from '../../call.ts';
import { contentOfAttempt, type LiveRow } from './live-rows.ts';

const AT_MOST = 100;

type Row = Omit<LiveRow, 'key'>;

/** Gives the last deliveries of each of the bots once, so that the list does not begin empty. */
export function useEarlierRows(botIds: readonly number[], take: (rows: Row[]) => void): void {
  const queries = useQueryClient();
  const openedAt = useRef(new Date().toISOString());
  const asked = useRef(new Set<number>());
  const latest = useRef(take);
  latest.current = take;
  const wanted = botIds.join();
  useEffect(() => {
    const ids = wanted === '' ? [] : wanted.split(',').map(Number);
    const added = ids.filter((id) => !asked.current.has(id));
    for (const id of added) asked.current.add(id);
    if (added.length === 0) return;
    const lists = added.map(async (id) => {
      const queryKey = ['attempts', id, AT_MOST];
      const queryFn = () => call('listDeliveryAttempts', { bot_id: id, limit: AT_MOST });
      const attempts = await queries.fetchQuery({ queryKey, queryFn, staleTime: 0 });
      return attempts.map((attempt): Row => ({ at: attempt.at, ...contentOfAttempt(id, attempt) }));
    });
    void Promise.allSettled(lists).then((done) => {
      const rows = done.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
      // What has happened since comes by the stream.
      const before = rows.filter(({ at }) => at < openedAt.current);
      latest.current(before.toSorted((one, other) => one.at.localeCompare(other.at)).slice(-AT_MOST));
    });
  }, [queries, wanted]);
}
