import type { RedisHandles } from './connect.ts';

/** Whoever waits in this process for a bot's id on a channel; one connection, however many they are. */
export type ChannelWaiters = {
  /** From now on wakes for this bot are remembered, so that none is lost between reading and waiting. */
  listen(botId: number): Waiter;
  count(): number;
  close(): void;
};

export type Waiter = {
  /** Resolves when the bot was named, the time is up, or the signal aborts. */
  wake(timeoutMs: number, signal: AbortSignal): Promise<void>;
  /** Instead of waiting: called at every wake until stop. */
  onWake(listener: () => void): void;
  stop(): void;
};

/** Subscribes to a channel whose payloads are bot ids. */
export function channelWaiters(redis: RedisHandles, channel: string): ChannelWaiters {
  const waiting = new Map<number, Set<() => void>>();
  const wakeAll = () => {
    for (const wakers of waiting.values()) for (const wake of wakers) wake();
  };
  const subscription = redis.subscribe(channel, {
    message: (botId) => {
      for (const wake of waiting.get(Number(botId)) ?? []) wake();
    },
    // What was published while the connection was away is not repeated.
    listening: wakeAll,
  });

  return {
    listen: (botId) => waiter(waiting, botId),
    count: () => [...waiting.values()].reduce((sum, wakers) => sum + wakers.size, 0),
    close: () => {
      subscription.close();
      wakeAll();
    },
  };
}

function waiter(waiting: Map<number, Set<() => void>>, botId: number): Waiter {
  let woken = false;
  let listener: (() => void) | null = null;
  const wake = () => {
    woken = true;
    listener?.();
  };
  const wakers = waiting.get(botId) ?? new Set();
  waiting.set(botId, wakers.add(wake));
  return {
    wake: (timeoutMs, signal) =>
      new Promise<void>((done) => {
        const finish = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', finish);
          listener = null;
          woken = false;
          done();
        };
        const timer = setTimeout(finish, timeoutMs);
        listener = finish;
        if (woken || signal.aborted) finish();
        else signal.addEventListener('abort', finish);
      }),
    onWake: (called) => {
      listener = called;
    },
    stop: () => {
      wakers.delete(wake);
      if (wakers.size === 0) waiting.delete(botId);
    },
  };
}
