import type { DeliveryResource } from '@flotilla/contract/deliveries.ts';
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../call.ts';
import { openOf } from './delivery-filter.ts';

/** The delivery that the address names; null while it is loaded, or if it is not there any more. It stays as it was shown. */
export function useOpenedDelivery(open: string | undefined): DeliveryResource | null {
  const found = useQuery({
    queryKey: ['delivery', open],
    queryFn: open === undefined ? skipToken : ({ signal }) => findDelivery(open, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (open !== undefined && found.data) || null;
}

/** Shows a row of the list at once when the address names it. */
export function useKnownDelivery(): (delivery: DeliveryResource) => void {
  const queries = useQueryClient();
  return (delivery) => queries.setQueryData(['delivery', openOf(delivery)], delivery);
}

async function findDelivery(open: string, signal: AbortSignal): Promise<DeliveryResource | null> {
  const [bot, reader = '', update] = open.split('.');
  const [name, program] = reader.split(':');
  const of = { bot_id: bot!, reader: name as DeliveryResource['reader'], ...(program && { program_id: program }) };
  const rows = await call('listDeliveries', { ...of, q: update! }, signal);
  return rows.find((row) => openOf(row) === open) ?? null;
}
