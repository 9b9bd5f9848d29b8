import type { RedisHandles } from './connect.ts';

/** Lets callers in this process wait for a bot's id on a channel, all over one connection. */
export type ChannelWaiters = {
  /** From now on wakes for this bot are remembered, so that none is lost between reading and waiting. */
  listen(botId: number): Waiter;
  count(): number;
  close(): void;
};

export type Waiter = {
  /** Resolves when the bot's id came, the time is up, or the signal aborts. */
  wake(timeoutMs: number, signal: AbortSignal): Promise<void>;
  /** Calls the listener at every wake until stop; use it instead of `wake`. */
  onWake(listener: () => void): void;
  stop(): void;
};

/** Subscribes to a channel whose payloads are bot ids. */
export function channelWaiters(redis: RedisHandles, channel: string): ChannelWaiters {
  const waiting = new Map<number, Set<WaiterOfBot>>();
  const wakeAll = () => {
    for (const waiters of waiting.values()) for (const waiter of waiters) waiter.woken();
  };
  const subscription = redis.subscribe(channel, {
    message: (botId) => {
      for (const waiter of waiting.get(Number(botId)) ?? []) waiter.woken();
    },
    // Messages from while the connection was away are not repeated, so every waiter wakes.
    listening: wakeAll,
  });

  return {
    listen: (botId) => new WaiterOfBot(waiting, botId),
    count: () => [...waiting.values()].reduce((sum, waiters) => sum + waiters.size, 0),
    close: () => {
      subscription.close();
      wakeAll();
    },
  };
}

/** A class, because an api process holds ten thousand of them, and a closure for each method needs more memory. */
class WaiterOfBot implements Waiter {
  readonly #waiting: Map<number, Set<WaiterOfBot>>;
  readonly #botId: number;
  #wasWoken = false;
  #listener: (() => void) | null = null;

  constructor(waiting: Map<number, Set<WaiterOfBot>>, botId: number) {
    this.#waiting = waiting;
    this.#botId = botId;
    waiting.set(botId, (waiting.get(botId) ?? new Set()).add(this));
  }

  woken(): void {
    this.#wasWoken = true;
    this.#listener?.();
  }

  wake(timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise<void>((done) => {
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        this.#listener = null;
        this.#wasWoken = false;
        done();
      };
      const timer = setTimeout(finish, timeoutMs);
      this.#listener = finish;
      if (this.#wasWoken || signal.aborted) finish();
      else signal.addEventListener('abort', finish);
    });
  }

  onWake(listener: () => void): void {
    this.#listener = listener;
  }

  stop(): void {
    const waiters = this.#waiting.get(this.#botId);
    waiters?.delete(this);
    if (waiters?.size === 0) this.#waiting.delete(this.#botId);
  }
}
