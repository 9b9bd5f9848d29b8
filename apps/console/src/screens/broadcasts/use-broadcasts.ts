import type { BroadcastResource as Broadcast } from '@flotilla/contract/broadcasts.ts';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../call.ts';
import { type LiveEvent, useLive } from '../../live.ts';
import { REFRESH_MS } from '../../queries.ts';

/** The beginning of the key of every query about broadcasts. */
export const BROADCASTS = 'broadcasts';
/** A browser watches at most 20 topics of all its tabs. */
const WATCHED = 5;

type Told = Extract<LiveEvent, { name: 'broadcast' }>['data'];
type Pages = { pages: { rows: Broadcast[] }[] };

export function useBroadcast(id: string) {
  return useQuery({
    queryKey: [BROADCASTS, 'shown', id],
    queryFn: ({ signal }) => call('showBroadcast', { id }, signal),
    refetchInterval: REFRESH_MS,
  });
}

/** The name of a broadcast; its id while that is all that is known. */
export function useBroadcastName(id: string): string {
  const found = useQuery({
    queryKey: [BROADCASTS, 'shown', id],
    queryFn: ({ signal }) => call('showBroadcast', { id }, signal),
    retry: false,
    staleTime: 60_000,
  });
  return found.data?.name ?? `#${id}`;
}

/** Shows at once how far the broadcasts of these bots are. */
export function useBroadcastsLive(botIds: readonly number[]): void {
  const queries = useQueryClient();
  const topics = [...new Set(botIds)].slice(0, WATCHED).map((id) => `bot:${id}`);
  useLive(topics, (event) => {
    if (event.name === 'broadcast') noteProgress(queries, event.data);
  });
}

function noteProgress(queries: QueryClient, { id, state, counts }: Told): void {
  const changed = (row: Broadcast) => (row.id === id ? { ...row, state, counts } : row);
  queries.setQueryData<Broadcast>([BROADCASTS, 'shown', String(id)], (known) => known && changed(known));
  queries.setQueriesData<Pages>(
    { queryKey: [BROADCASTS, 'list'] },
    (known) => known && { ...known, pages: known.pages.map((page) => ({ ...page, rows: page.rows.map(changed) })) },
  );
  // The event does not say when it ended, and why chats did not get it.
  if (state === 'done' || state === 'cancelled') void queries.invalidateQueries({ queryKey: [BROADCASTS] });
}
