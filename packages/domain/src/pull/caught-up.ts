import type { Waiter } from '@flotilla/redis/channel-waiters.ts';
import type { SharedMoments } from '@flotilla/runtime/shared-moments.ts';

/**
 * Consumers that have got all that there is for them, from the answer of one poll of this process to their next poll. They
 * hear of new updates meanwhile, so until something new comes the next poll only acknowledges, which may wait for a shared
 * moment. If it is answered before that, its acknowledgement still goes to Redis then.
 */
export type CaughtUp = {
  /** The poll that is answered now has read everything; the next one will ask from `offset`. Takes the waiter over. */
  keep(botId: number, consumer: string | null, offset: number, waiter: Waiter): void;
  /**
   * The waiter that has heard everything since then, if this poll is the next one. It acknowledges what the one before
   * left. Before any other poll, that is sent to Redis.
   */
  take(botId: number, consumer: string | null, offset: number): Waiter | null;
  /** When a poll that only acknowledges goes to Redis, with others. */
  moment(): Promise<void>;
  /** Acknowledges then, unless the consumer's next poll does. */
  leave(botId: number, consumer: string | null, acknowledge: Acknowledge): void;
  count(): number;
  /** Sends what is left to acknowledge. */
  close(): Promise<void>;
};

/** Resolves when Redis has it; never rejects, because the client of a poll that is answered cannot be told. */
type Acknowledge = () => Promise<void>;

/** A poller that takes longer to come back is read for at once. */
const KEPT_MS = 1000;

export function caughtUpConsumers(deferredWrites: SharedMoments): CaughtUp {
  const kept = new Map<string, { offset: number; waiter: Waiter; timer: NodeJS.Timeout }>();
  const left = new Map<string, Acknowledge>();
  const nameOf = (botId: number, consumer: string | null) => `${botId}:${consumer ?? ''}`;
  const remove = (name: string): { offset: number; waiter: Waiter } | null => {
    const known = kept.get(name);
    if (known === undefined) return null;
    kept.delete(name);
    clearTimeout(known.timer);
    return known;
  };
  const acknowledge = async (name: string): Promise<void> => {
    const sent = left.get(name)?.();
    left.delete(name);
    await sent;
  };
  const acknowledgeAll = () => Promise.all([...left.keys()].map(acknowledge));
  return {
    keep: (botId, consumer, offset, waiter) => {
      const name = nameOf(botId, consumer);
      remove(name)?.waiter.stop();
      const timer = setTimeout(() => remove(name)?.waiter.stop(), KEPT_MS).unref();
      kept.set(name, { offset, waiter, timer });
    },
    take: (botId, consumer, offset) => {
      const name = nameOf(botId, consumer);
      const known = remove(name);
      if (known?.offset === offset) {
        left.delete(name);
        return known.waiter;
      }
      known?.waiter.stop();
      void acknowledge(name);
      return null;
    },
    moment: deferredWrites.next,
    leave: (botId, consumer, acknowledge) => {
      if (left.size === 0) void deferredWrites.next().then(acknowledgeAll);
      left.set(nameOf(botId, consumer), acknowledge);
    },
    count: () => kept.size,
    close: async () => {
      for (const name of [...kept.keys()]) remove(name)?.waiter.stop();
      await acknowledgeAll();
    },
  };
}
