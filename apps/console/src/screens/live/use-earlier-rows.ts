import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call } from '../../call.ts';
import { contentOfAttempt, contentOfPastUpdate, type LiveRow } from './live-rows.ts';

const AT_MOST = 100;

type Row = Omit<LiveRow, 'key'>;

/** Gives the last updates and deliveries of each of the bots once, so that the list does not begin empty. */
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
    const ask = <Answer>(queryKey: unknown[], queryFn: () => Promise<Answer>) =>
      queries.fetchQuery({ queryKey, queryFn, staleTime: 0 });
    const page = (id: number) => ({ bot_id: id, limit: AT_MOST });
    const lists = added.flatMap((id): Promise<Row[]>[] => [
      ask(['attempts', id, AT_MOST], () => call('listDeliveryAttempts', page(id))).then((attempts) =>
        attempts.map((attempt) => ({ at: attempt.at, ...contentOfAttempt(id, attempt) })),
      ),
      ask(['past-updates', id], () => call('listUpdates', page(id))).then((updates) =>
        updates.map((update) => ({ at: update.at, ...contentOfPastUpdate(id, update) })),
      ),
    ]);
    void Promise.allSettled(lists).then((done) => {
      const rows = done.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
      // Events since then come by the stream.
      const before = rows.filter(({ at }) => at < openedAt.current);
      // The newest come first, also of those that came in the same millisecond.
      const ordered = before.toReversed().toSorted((one, other) => one.at.localeCompare(other.at));
      // Of each kind the last ones: a bot that is not delivered has its updates all the same.
      const last = (kind: LiveRow['kind']) => ordered.filter((row) => row.kind === kind).slice(-AT_MOST);
      latest.current([...last('update'), ...last('attempt')]);
    });
  }, [queries, wanted]);
}
