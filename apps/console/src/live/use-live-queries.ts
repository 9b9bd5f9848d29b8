import type { AttentionResource } from '@flotilla/contract/attention.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { FleetResource } from '@flotilla/contract/fleet.ts';
import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type LiveEvent, type StreamState, useLive } from '../live.ts';
import { ATTENTION } from '../queries.ts';
import { SESSION } from '../session.tsx';
import { atOnceAndAfter } from './at-once-and-after.ts';

/** Lists of more than 200 bots may be filtered by states that are a second old. */
const LISTS_SETTLE_MS = 2_000;
/** A stream that is too busy skips something every second. */
const REREAD_MS = 5_000;

/** Puts the states of bots and the figures of the fleet into the queries as they come. */
export function useLiveQueries(): StreamState {
  const queries = useQueryClient();
  const handle = useMemo(() => liveQueries(queries), [queries]);
  return useLive(['fleet'], handle);
}

function liveQueries(queries: QueryClient): (event: LiveEvent) => void {
  const askLists = atOnceAndAfter(LISTS_SETTLE_MS, () => void queries.invalidateQueries({ queryKey: ['bots'] }));
  const askFleet = atOnceAndAfter(
    LISTS_SETTLE_MS,
    () => void queries.invalidateQueries({ queryKey: ['fleet'], exact: true }),
  );
  const askAll = atOnceAndAfter(REREAD_MS, () => void queries.invalidateQueries({ predicate: isNotSession }));
  return (event) => {
    switch (event.name) {
      case 'fleet': {
        const known = queries.getQueryData<FleetResource>(['fleet']);
        queries.setQueryData(['fleet'], event.data);
        // The first event of a stream repeats what the page has just asked for.
        if (known?.taken_at !== event.data.taken_at) void queries.invalidateQueries({ queryKey: ['activity', null] });
        break;
      }
      case 'bot':
        if (hasOtherFaults(queries, event.data)) askFleet();
        queries.setQueryData(['bot', String(event.data.id)], (known: unknown) => known && event.data);
        queries.setQueriesData({ queryKey: ['bots'] }, (known: unknown) => withBot(known, event.data));
        askLists();
        break;
      case 'skipped':
      case 'gap':
        askAll();
    }
  };
}

function isNotSession({ queryKey }: Query): boolean {
  return queryKey[0] !== SESSION[0];
}

/** True if the list of faults is not up to date for this bot. It is asked for only while the counts of the fleet are not all zero. */
function hasOtherFaults(queries: QueryClient, bot: BotResource): boolean {
  const { rows = [] } = queries.getQueryData<{ rows: AttentionResource[] }>(ATTENTION) ?? {};
  const listed = rows.filter(({ bot_id: botId }) => botId === bot.id);
  return kindsOf(listed) !== kindsOf(bot.attention);
}

const kindsOf = (faults: readonly { kind: string }[]): string => faults.map(({ kind }) => kind).join();

/** A page of bots with this one as it is now; which bots belong to the page is the server's matter. */
function withBot(known: unknown, bot: BotResource): unknown {
  const { rows } = (known ?? {}) as { rows?: BotResource[] };
  if (!rows?.some(({ id }) => id === bot.id)) return known;
  return { ...(known as object), rows: rows.map((row) => (row.id === bot.id ? bot : row)) };
}
