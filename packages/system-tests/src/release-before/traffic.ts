import type { Fleet, FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';

/** Each piece has chats of its own, in which the updates are numbered from 0. */
const CHATS = 4;
const PER_CHAT = 10;
const PER_SECOND = 30;
const PIECE_WITHIN_MS = 60_000;

export type Traffic = {
  /** Resolves when the first update of this phase is made, so that all of the phase before are made. */
  enter(phase: string): Promise<void>;
  /** How many updates of these phases were made for each bot. */
  made(...phases: string[]): number;
  end(): Promise<void>;
};

/** Updates for all bots, without a pause, until `end`. Their texts begin with the phase (letters). */
export function startTraffic(fleet: Fleet, bots: FleetBot[], first: string): Traffic {
  const made = new Map<string, number>();
  let phase = first;
  let running = '';
  let ending = false;
  const perBot = CHATS * PER_CHAT;
  const load = { bots: bots.map(({ platformId }) => platformId), chats: CHATS, count: perBot * bots.length };
  const making = (async () => {
    while (!ending) {
      const prefix = phase;
      made.set(prefix, (made.get(prefix) ?? 0) + perBot);
      const { loadId } = await fleet.control.generate({ ...load, perSecond: PER_SECOND, prefix });
      running = prefix;
      await waitFor(async () => (await fleet.control.readLoad({ loadId })).done, { timeoutMs: PIECE_WITHIN_MS });
    }
  })();
  making.catch(() => undefined);
  return {
    enter: async (next) => {
      phase = next;
      await waitFor(() => running === next, { timeoutMs: PIECE_WITHIN_MS, message: `updates of phase ${next}` });
    },
    made: (...phases) => phases.reduce((sum, name) => sum + (made.get(name) ?? 0), 0),
    end: async () => {
      ending = true;
      await making;
    },
  };
}
