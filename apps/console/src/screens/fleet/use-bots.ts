import { callPage } from '../../call.ts';
import { useRowPages } from '../../parts/use-row-pages.ts';
import type { FleetFilter } from './fleet-filter.ts';

/** The pages of the list that are on the screen: a fleet may have 10,000 bots. */
export function useBots({ range: _, ...filter }: FleetFilter) {
  return useRowPages(['bots', filter], (page, signal) => callPage('listBots', { ...filter, ...page }, signal));
}
