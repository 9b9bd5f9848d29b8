import { given } from '../../parts/filters.tsx';
import { type Range, readRange } from '../activity/use-activity.ts';
import { readAttempt } from './attempt-address.ts';

/** Which attempt is open beside the list. */
export type UpdateAddress = { attempt?: string };
export type OverviewAddress = UpdateAddress & { range?: Range };

export function readUpdateAddress({ attempt }: Record<string, unknown>): UpdateAddress {
  return given({ attempt: readAttempt(attempt) });
}

export function readOverviewAddress(search: Record<string, unknown>): OverviewAddress {
  return { ...readRange(search), ...readUpdateAddress(search) };
}
