import { type CallerOfBot, callCounts } from '@flotilla/runtime/call-counts.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';

/** Calls that wait until the platform takes them again: those of one flood go on one after the other, in their order. */
export type HeldCalls = {
  /** Null if so many are held already that this one cannot be. */
  join(flood: string, of: CallerOfBot, bytes: number): HeldTurn | null;
};

export type HeldTurn = {
  /** Resolves when no call of this flood is before it. */
  first: Promise<void>;
  /** To be called when the call was answered or given up; the next one is first then. */
  leave(): void;
};

/** Of one process, and of one bot in it. */
const HELD_AT_MOST = { inAll: 1_000, ofBot: 200 };
const HELD_BYTES = { inAll: 16 * 1024 * 1024, ofBot: 8 * 1024 * 1024 };

export function heldCalls(metrics: Pick<Metrics, 'gauge'>): HeldCalls {
  const queues = new Map<string, { begin(): void }[]>();
  const counts = callCounts(HELD_AT_MOST);
  const bodies = callCounts(HELD_BYTES);
  let held = 0;
  metrics.gauge({
    name: 'flotilla_flood_held_calls',
    help: 'Bot API calls of bots with the flood setting wait that are held until the platform takes them again.',
    collect() {
      this.set(held);
    },
  });
  const add = (of: CallerOfBot, calls: 1 | -1, bytes: number) => {
    held += calls;
    counts.add(of, calls);
    if (bytes !== 0) bodies.add(of, bytes);
  };
  return {
    join: (flood, of, bytes) => {
      if (!counts.hasRoom(of) || (bytes > 0 && !bodies.hasRoom(of, bytes))) return null;
      const queue = queues.get(flood) ?? [];
      queues.set(flood, queue);
      const { promise: first, resolve: begin } = Promise.withResolvers<void>();
      const turn = { begin };
      queue.push(turn);
      add(of, 1, bytes);
      queue[0]?.begin();
      return {
        first,
        leave: () => {
          const at = queue.indexOf(turn);
          if (at === -1) return;
          queue.splice(at, 1);
          add(of, -1, -bytes);
          queue[0]?.begin();
          if (queue.length === 0 && queues.get(flood) === queue) queues.delete(flood);
        },
      };
    },
  };
}
