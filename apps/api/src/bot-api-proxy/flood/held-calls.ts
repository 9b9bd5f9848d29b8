import type { Metrics } from '@flotilla/runtime/metrics.ts';

/** Calls that wait until the platform takes them again: those of one flood go on one after the other, in their order. */
export type HeldCalls = {
  /** Null if so many are held already that this one cannot be. */
  join(flood: string, botId: number, bytes: number): HeldTurn | null;
};

export type HeldTurn = {
  /** Resolves when no call of this flood is before it. */
  first: Promise<void>;
  /** To be called when the call was answered or given up; the next one is first then. */
  leave(): void;
};

/** Of one process, and of one bot in it. */
const HELD_AT_MOST = 1_000;
const HELD_OF_A_BOT = 200;
const HELD_BYTES = 16 * 1024 * 1024;

export function heldCalls(metrics: Pick<Metrics, 'gauge'>): HeldCalls {
  const queues = new Map<string, { begin(): void }[]>();
  const ofBots = new Map<number, number>();
  let held = { calls: 0, bytes: 0 };
  metrics.gauge({
    name: 'flotilla_flood_held_calls',
    help: 'Bot API calls of bots with the flood setting wait that are held until the platform takes them again.',
    collect() {
      this.set(held.calls);
    },
  });
  const add = (botId: number, calls: 1 | -1, bytes: number) => {
    held = { calls: held.calls + calls, bytes: held.bytes + bytes };
    const ofBot = (ofBots.get(botId) ?? 0) + calls;
    if (ofBot === 0) ofBots.delete(botId);
    else ofBots.set(botId, ofBot);
  };
  return {
    join: (flood, botId, bytes) => {
      const isFull = held.calls >= HELD_AT_MOST || (ofBots.get(botId) ?? 0) >= HELD_OF_A_BOT;
      if (isFull || held.bytes + bytes > HELD_BYTES) return null;
      const queue = queues.get(flood) ?? [];
      queues.set(flood, queue);
      const { promise: first, resolve: begin } = Promise.withResolvers<void>();
      const turn = { begin };
      queue.push(turn);
      add(botId, 1, bytes);
      queue[0]?.begin();
      return {
        first,
        leave: () => {
          const at = queue.indexOf(turn);
          if (at === -1) return;
          queue.splice(at, 1);
          add(botId, -1, -bytes);
          queue[0]?.begin();
          if (queue.length === 0 && queues.get(flood) === queue) queues.delete(flood);
        },
      };
    },
  };
}
