import type { BroadcastState } from '@flotilla/contract/broadcasts.ts';
import { given, readId } from '../../parts/filters.tsx';

const STATE_NAMES: Readonly<Record<BroadcastState, true>> = {
  scheduled: true,
  running: true,
  paused: true,
  done: true,
  cancelled: true,
};
export const STATES = Object.keys(STATE_NAMES) as BroadcastState[];

/** What the address says about the list. */
export type BroadcastFilter = { bot?: string; state?: BroadcastState };

export function readBroadcastFilter({ bot, state }: Record<string, unknown>): BroadcastFilter {
  return given({ bot: readId(bot), state: STATES.find((one) => one === state) });
}

/** The bot that a new broadcast begins with. */
export function readNewBroadcast({ bot }: Record<string, unknown>): { bot?: string } {
  return given({ bot: readId(bot) });
}
