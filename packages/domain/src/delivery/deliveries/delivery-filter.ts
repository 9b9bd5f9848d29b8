import type { DeliveryFilter } from '@flotilla/contract/deliveries.ts';
import { describeNew } from '../../people/audit/describe-changes.ts';
import { parseReader } from './reader-name.ts';

/** The filter for the audit log. */
export function describeFilter({ ids, ...filter }: DeliveryFilter & { ids?: readonly number[] | undefined }): string {
  if (ids !== undefined) return `failed deliveries ${ids.join(', ')}`;
  return describeNew(filter) || 'all failed deliveries';
}

/** A delivery as a filter sees it. */
type Filtered = {
  /** The name in failed deliveries. */
  reader: string;
  reasonCode: string;
  status: number | null;
  atMs: number;
  error: string;
  updateId: number;
};

/** The same conditions as in SQL, for updates that are retried. */
export function matchesFilter(filter: DeliveryFilter, delivery: Filtered): boolean {
  const { reader, program_id, reason_code, status, since, until, q } = filter;
  const of = parseReader(delivery.reader);
  if (reader !== undefined && of.reader !== reader) return false;
  if (program_id !== undefined && of.program_id !== program_id) return false;
  if (reason_code !== undefined && delivery.reasonCode !== reason_code) return false;
  if (status !== undefined && !isInRange(delivery.status, statusRange(status))) return false;
  if (since !== undefined && delivery.atMs < since * 1000) return false;
  if (until !== undefined && delivery.atMs >= until * 1000) return false;
  if (q === undefined) return true;
  return updateIdIn(q) === delivery.updateId || delivery.error.toLowerCase().includes(q.toLowerCase());
}

type StatusRange = { from: number; to: number };

/** The statuses that a filter names; null for "no answer". */
export function statusRange(status: string): StatusRange | null {
  if (status === '0') return null;
  return { from: Number(status.replace('xx', '00')), to: Number(status.replace('xx', '99')) };
}

function isInRange(status: number | null, range: StatusRange | null): boolean {
  if (status === null || range === null) return status === range;
  return status >= range.from && status <= range.to;
}

/** The update id that a search may mean, or null. */
export function updateIdIn(q: string): number | null {
  return /^\d{1,16}$/.test(q) && Number.isSafeInteger(Number(q)) ? Number(q) : null;
}
