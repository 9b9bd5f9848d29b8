import { useQuery } from '@tanstack/react-query';
import { callPage } from '../../call.ts';
import { useRowPages } from '../../parts/use-row-pages.ts';
import { REFRESH_MS } from '../../queries.ts';
import { conditionsOf, type DeliveryFilter, type DeliveryState } from './delivery-filter.ts';

export function useDeliveries(state: DeliveryState, filter: DeliveryFilter) {
  const conditions = conditionsOf(filter);
  return useRowPages(['deliveries', state, conditions], (page, signal) =>
    callPage('listDeliveries', { ...conditions, state, ...page }, signal),
  );
}

/** How many match of a state; undefined while that is not known. */
export function useDeliveryCount(state: DeliveryState, filter: DeliveryFilter): number | undefined {
  const conditions = conditionsOf(filter);
  const count = useQuery({
    queryKey: ['deliveries', 'total', state, conditions],
    queryFn: ({ signal }) => callPage('listDeliveries', { ...conditions, state, limit: 1 }, signal),
    refetchInterval: REFRESH_MS,
  });
  return count.data?.total;
}
