import type { Waiter } from '@flotilla/redis/channel-waiters.ts';
import type { FlushableMoments } from '@flotilla/runtime/shared-moments.ts';

/**
 * Consumers whose last answer had everything that there was for them. They stay subscribed until their next poll, which need
 * not read if nothing was announced meanwhile: it only acknowledges, and that may wait for a shared moment.
 */
export type CaughtUp = {
  /** The poll that is answered now has read everything; the next one will ask from `offset`. Takes the waiter over. */
  keep(botId: number, consumer: string | null, offset: number, waiter: Waiter): void;
  /** The waiter that has heard everything since then, if this poll is the next one. */
  take(botId: number, consumer: string | null, offset: number): Waiter | null;
  /** When a poll that only acknowledges goes to Redis, with others. */
  moment(): Promise<void>;
  /** Those that wait for the moment go now, with one that does not wait. */
  flush(): void;
  count(): number;
  close(): void;
};

/** A poller that takes longer to come back is read for at once. */
const KEPT_MS = 1000;

export function caughtUpConsumers(deferredWrites: FlushableMoments): CaughtUp {
  const kept = new Map<string, { offset: number; waiter: Waiter; timer: NodeJS.Timeout }>();
  const nameOf = (botId: number, consumer: string | null) => `${botId}:${consumer ?? ''}`;
  const remove = (name: string): { offset: number; waiter: Waiter } | null => {
    const known = kept.get(name);
    if (known === undefined) return null;
    kept.delete(name);
    clearTimeout(known.timer);
    return known;
  };
  return {
    keep: (botId, consumer, offset, waiter) => {
      const name = nameOf(botId, consumer);
      remove(name)?.waiter.stop();
      const timer = setTimeout(() => remove(name)?.waiter.stop(), KEPT_MS).unref();
      kept.set(name, { offset, waiter, timer });
    },
    take: (botId, consumer, offset) => {
      const known = remove(nameOf(botId, consumer));
      if (known === null || known.offset === offset) return known?.waiter ?? null;
      known.waiter.stop();
      return null;
    },
    moment: deferredWrites.next,
    flush: deferredWrites.flush,
    count: () => kept.size,
    close: () => {
      for (const name of [...kept.keys()]) remove(name)?.waiter.stop();
    },
  };
}
