import type { DeliveryReader, ReasonCode } from '@flotilla/contract/deliveries.ts';
import { describeNew } from '../../people/audit/describe-changes.ts';

import { parseReader } from './reader-name.ts';

/** The filter of a list, a redrive or a discard. Undefined fields match everything. */
export type DeliveryFilter = {
  reader?: DeliveryReader | undefined;
  programId?: number | undefined;
  reasonCode?: ReasonCode | undefined;
  /** An HTTP status, a class such as '5xx', or '0' for no answer. */
  status?: string | undefined;
  /** Unix seconds: when a dead letter was given up, or when a retried update failed last. `untilS` is excluded. */
  sinceS?: number | undefined;
  untilS?: number | undefined;
  /** An update id, or a part of the text of the last error; case does not matter. */
  q?: string | undefined;
};

/** The filter for the audit log. */
export function describeFilter(filter: DeliveryFilter & { ids?: readonly number[] | undefined }): string {
  if (filter.ids !== undefined) return `dead letters ${filter.ids.join(', ')}`;
  const { reader, programId: program_id, reasonCode: reason_code, status, sinceS: since, untilS: until, q } = filter;
  return describeNew({ reader, program_id, reason_code, status, since, until, q }) || 'all dead letters';
}

/** A delivery as a filter sees it. */
type Filtered = {
  /** The name in dead letters. */
  reader: string;
  reasonCode: string;
  status: number | null;
  atMs: number;
  error: string;
  updateId: number;
};

/** The same conditions as in SQL, for updates that are retried. */
export function matchesFilter(filter: DeliveryFilter, delivery: Filtered): boolean {
  const { reader, programId, reasonCode, status, sinceS, untilS, q } = filter;
  const of = parseReader(delivery.reader);
  if (reader !== undefined && of.reader !== reader) return false;
  if (programId !== undefined && of.programId !== programId) return false;
  if (reasonCode !== undefined && delivery.reasonCode !== reasonCode) return false;
  if (status !== undefined && !isInRange(delivery.status, statusRange(status))) return false;
  if (sinceS !== undefined && delivery.atMs < sinceS * 1000) return false;
  if (untilS !== undefined && delivery.atMs >= untilS * 1000) return false;
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
