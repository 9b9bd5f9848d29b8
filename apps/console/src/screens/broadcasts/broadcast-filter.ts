import type { BroadcastState } from '@flotilla/contract/broadcasts.ts';
import { given, readId, readText } from '../../parts/filters.tsx';

const STATE_NAMES: Readonly<Record<BroadcastState, true>> = {
  scheduled: true,
  running: true,
  paused: true,
  done: true,
  cancelled: true,
};
export const STATES = Object.keys(STATE_NAMES) as BroadcastState[];

/** The filters of the list, from the address. */
export type BroadcastFilter = { bot?: string; state?: BroadcastState };

export function readBroadcastFilter({ bot, state }: Record<string, unknown>): BroadcastFilter {
  return given({ bot: readId(bot), state: STATES.find((one) => one === state) });
}

/** The beginning of a new broadcast: its bot, chats that another one did not reach; or the one that is changed. */
export type NewBroadcastAddress = { bot?: string; failures?: string; error?: string; edit?: string };

export function readNewBroadcast({ bot, failures, error, edit }: Record<string, unknown>): NewBroadcastAddress {
  return given({ bot: readId(bot), failures: readId(failures), error: readText(error), edit: readId(edit) });
}
