import type { RedisHandles } from './connect.ts';
import type { Subscriber, Subscription } from './subscription.ts';

/** Lets callers in this process wait for a bot's id on a channel, all over one connection. */
export type ChannelWaiters = {
  /**
   * From now on wakes for this bot are remembered, so that none is lost between reading and waiting. With the name of
   * a turn, only wakes for this turn, or for the bot as a whole.
   */
  listen(botId: number, turn?: string): Waiter;
  /** Wakes those who wait for this bot, as a message does. Many bots are woken some at a time. */
  wakeSoon(botId: number): void;
  count(): number;
  close(): void;
};

export type Waiter = {
  /** Resolves when there was a wake since the last wait, the time is up, or the signal aborts. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
  /** Calls the listener at every wake until stop; use it instead of `wait`. */
  onWake(listener: () => void): void;
  stop(): void;
};

/** Each of those woken asks Redis. If ten thousand did that at once, the last would have no answer in time. */
const WOKEN_AT_ONCE = 200;
const WAKE_PAUSE_MS = 20;

/**
 * Subscribes to a channel when somebody first listens, because each message costs Redis a write to every subscriber, and
 * wakes its process. A payload names bots by id, or turns as `<bot id>:<turn>`, with spaces between the names.
 */
export function channelWaiters(redis: RedisHandles, channel: string): ChannelWaiters {
  const waiting = new Map<number, Set<WaiterOfBot>>();
  const wake = (botId: number, turn: string) => {
    for (const waiter of waiting.get(botId) ?? []) if (waiter.isFor(turn)) waiter.wake();
  };
  const wakeNamed = (names: string) => {
    for (const name of names.split(' ')) {
      const [botId] = name.split(':', 1) as [string];
      wake(Number(botId), name.slice(botId.length + 1));
    }
  };
  const soon = new Set<number>();
  let timer: NodeJS.Timeout | null = null;
  const wakeSome = () => {
    let woken = 0;
    for (const botId of soon) {
      if (woken === WOKEN_AT_ONCE) break;
      soon.delete(botId);
      wake(botId, '');
      woken += 1;
    }
    timer = soon.size > 0 ? setTimeout(wakeSome, WAKE_PAUSE_MS) : null;
  };
  const wakeSoon = (botIds: Iterable<number>) => {
    for (const botId of botIds) soon.add(botId);
    if (timer === null) wakeSome();
  };
  let subscription: Subscription | null = null;
  let closed = false;
  const subscriber: Subscriber = {
    message: (payload) => wakeNamed(String(payload)),
    // Messages from while the connection was away are not repeated, so every waiter wakes.
    listening: () => wakeSoon(waiting.keys()),
  };

  return {
    listen: (botId, turn) => {
      if (!closed) subscription ??= redis.subscribe(channel, subscriber);
      return new WaiterOfBot(waiting, botId, turn ?? '');
    },
    wakeSoon: (botId) => {
      if (waiting.has(botId)) wakeSoon([botId]);
    },
    count: () => [...waiting.values()].reduce((sum, waiters) => sum + waiters.size, 0),
    close: () => {
      closed = true;
      subscription?.close();
      if (timer !== null) clearTimeout(timer);
      for (const botId of [...waiting.keys()]) wake(botId, '');
    },
  };
}

/** A class, because an api process holds ten thousand of them, and a closure for each method needs more memory. */
class WaiterOfBot implements Waiter {
  readonly #waiting: Map<number, Set<WaiterOfBot>>;
  readonly #botId: number;
  readonly #turn: string;
  #isWoken = false;
  #listener: (() => void) | null = null;

  constructor(waiting: Map<number, Set<WaiterOfBot>>, botId: number, turn: string) {
    this.#waiting = waiting;
    this.#botId = botId;
    this.#turn = turn;
    waiting.set(botId, (waiting.get(botId) ?? new Set()).add(this));
  }

  isFor(turn: string): boolean {
    return turn === '' || this.#turn === '' || turn === this.#turn;
  }

  wake(): void {
    this.#isWoken = true;
    this.#listener?.();
  }

  wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((done) => {
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        this.#listener = null;
        this.#isWoken = false;
        done();
      };
      const timer = setTimeout(finish, timeoutMs);
      this.#listener = finish;
      if (this.#isWoken || signal.aborted) finish();
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
