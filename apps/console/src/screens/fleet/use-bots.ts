import { callPage } from '../../call.ts';
import { useRowPages } from '../../parts/use-row-pages.ts';
import type { FleetFilter } from './fleet-filter.ts';

/** The pages of the list that are on the screen, the worst first: a fleet may have 10,000 bots. start.ts asks for the first one. */
export function useBots({ range: _, ...given }: FleetFilter) {
  const filter = { sort: 'attention' as const, ...given };
  return useRowPages(['bots', filter], (page, signal) => callPage('listBots', { ...filter, ...page }, signal));
}
