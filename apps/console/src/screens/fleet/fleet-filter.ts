import type { BotSort, BotState } from '@flotilla/contract/bots.ts';
import { type Range, readRange } from '../activity/use-activity.ts';

/** The states in the order of their urgency. */
export const STATES = ['open', 'failing', 'not_polled', 'ok', 'disabled'] as const satisfies readonly BotState[];

/** The columns that can be sorted by, and their only order. */
export const SORTS = {
  name: 'ascending',
  pending: 'descending',
  last_update: 'descending',
} as const satisfies Record<BotSort, 'ascending' | 'descending'>;

/** What the address says about the list, and about the picture above it. */
export type FleetFilter = { q?: string; state?: BotState; program_trouble?: true; sort?: BotSort; range?: Range };

export function readFleetFilter({ q, state, sort, range, ...others }: Record<string, unknown>): FleetFilter {
  const known = STATES.find((one) => one === state);
  const [sorted] = (Object.keys(SORTS) as BotSort[]).filter((one) => one === sort);
  return {
    ...(typeof q === 'string' && q.trim() !== '' ? { q } : {}),
    ...(known === undefined ? {} : { state: known }),
    ...(others.program_trouble === true ? { program_trouble: true } : {}),
    ...(sorted === undefined ? {} : { sort: sorted }),
    ...readRange({ range }),
  };
}
