import type { AttentionKind } from '@flotilla/contract/attention.ts';
import type { BotSort } from '@flotilla/contract/bots.ts';
import { type Range, readRange } from '../activity/use-activity.ts';

/** The faults of a bot, the worst first, in the order of the api. */
const RANKS = {
  ...{ token_revoked: 1, foreign_webhook: 2, intake_failing: 3, intake_paused: 4, platform_unreachable: 5 },
  ...{ move_stuck: 6, backend_open: 7, poller_silent: 8, program_parked: 9, program_silent: 10, program_failing: 11 },
  ...{ sends_held: 12, flood: 13, backend_failing: 14, forwarding_off: 15, nobody_reads: 16 },
} satisfies Record<AttentionKind, number>;
export const ATTENTION_KINDS = Object.keys(RANKS) as AttentionKind[];

/** The columns that can be sorted by, and their only order. */
export const SORTS = {
  attention: 'descending',
  name: 'ascending',
  pending: 'descending',
  last_update: 'descending',
} as const satisfies Record<BotSort, 'ascending' | 'descending'>;

/** The filters of the list and of the picture above it, from the address. */
export type FleetFilter = {
  q?: string;
  attention?: AttentionKind;
  state?: 'disabled';
  label?: string;
  sort?: BotSort;
  range?: Range;
};

export function readFleetFilter({ q, state, label, attention, sort, range }: Record<string, unknown>): FleetFilter {
  const kind = ATTENTION_KINDS.find((one) => one === attention);
  const [sorted] = (Object.keys(SORTS) as BotSort[]).filter((one) => one === sort);
  return {
    ...(typeof q === 'string' && q.trim() !== '' ? { q } : {}),
    ...(kind === undefined ? {} : { attention: kind }),
    ...(state === 'disabled' ? { state } : {}),
    ...(typeof label === 'string' && label !== '' ? { label } : {}),
    ...(sorted === undefined ? {} : { sort: sorted }),
    ...readRange({ range }),
  };
}
