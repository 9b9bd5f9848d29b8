import type { BotState } from '@flotilla/contract/bots.ts';

/** The states in the order of their urgency. */
export const STATES = ['open', 'failing', 'not_polled', 'ok', 'disabled'] as const satisfies readonly BotState[];

/** What the address says about the list. */
export type FleetFilter = { q?: string; state?: BotState };

export function readFleetFilter({ q, state }: Record<string, unknown>): FleetFilter {
  const known = STATES.find((one) => one === state);
  return {
    ...(typeof q === 'string' && q.trim() !== '' ? { q } : {}),
    ...(known === undefined ? {} : { state: known }),
  };
}
