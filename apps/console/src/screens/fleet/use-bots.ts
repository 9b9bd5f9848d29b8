import { callPage } from '../../call.ts';
import { rowPage, useRowPages } from '../../parts/use-row-pages.ts';
import type { FleetFilter } from './fleet-filter.ts';

/** The pages of the list that are on the screen, the worst first: a fleet may have 10,000 bots. start.ts asks for the first one. */
export function useBots(filter: FleetFilter) {
  const { key, fetchRows } = listOf(filter);
  return useRowPages(key, fetchRows);
}

/** The first page of the same list. */
export function firstBots(filter: FleetFilter) {
  const { key, fetchRows } = listOf(filter);
  return rowPage(key, fetchRows, 0);
}

function listOf({ range: _, ...given }: FleetFilter) {
  const filter = { sort: 'attention' as const, ...given };
  const fetchRows = (page: { limit: number; offset: number }, signal: AbortSignal) =>
    callPage('listBots', { ...filter, ...page }, signal);
  return { key: ['bots', filter], fetchRows };
}
