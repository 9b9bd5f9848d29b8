import { setTimeout as delay } from 'node:timers/promises';
import { type LivePart, openLive } from './flotilla-client.ts';
import { readUpdate, type TailedUpdate } from './post-update.ts';
import type { TailOptions } from './tail-options.ts';

export interface Follower {
  /** Takes an update; resolves when there is room for the next one. */
  onUpdate(update: TailedUpdate): Promise<void>;
  onReconnect(reason: string): void;
  onConnected(): void;
  /** So many events will not come: each is larger than a stream shows. */
  onLeftOut(count: number): void;
  /** Updates may be missing between these ids; null where none is known. */
  onGap(after: number | null, before: number | null): void;
}

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10_000;

/**
 * Follows the updates of a bot until `stopping` aborts, over any number of connections. A server leaves out events for
 * which a stream has no room, and says so; they are then read again from the last event before. Throws FlotillaError
 * when the server refuses.
 */
export async function followBot(options: TailOptions, follower: Follower, stopping: AbortSignal): Promise<void> {
  const { botId, chatId } = options;
  const topic = chatId === null ? `bot:${botId}` : `chat:${botId}:${chatId}`;
  const reading = new StreamReading(follower, chatId === null);
  let firstRetryMs = FIRST_RETRY_MS;
  let retryMs = firstRetryMs;
  while (!stopping.aborted) {
    const onRetry = (ms: number) => {
      firstRetryMs = Math.min(ms, LONGEST_RETRY_MS);
    };
    const opened = await openLive(options, topic, reading.lastId, onRetry, stopping);
    let reason = opened.outcome === 'again' ? opened.reason : 'the stream ended';
    if (opened.outcome === 'open') {
      follower.onConnected();
      retryMs = firstRetryMs;
      try {
        if ((await reading.read(opened.parts)) === 'again') continue;
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
      }
    }
    if (stopping.aborted) break;
    follower.onReconnect(reason);
    // Not all clients of a server that restarts come back at the same moment.
    await delay(retryMs * (0.75 + Math.random() / 2), null, { signal: stopping }).catch(() => undefined);
    retryMs = Math.min(2 * Math.max(retryMs, FIRST_RETRY_MS), LONGEST_RETRY_MS);
  }
  reading.end();
}

/** Events that come after a position only if they happened after it. The others also tell the present state. */
const IN_ORDER = ['update', 'call', 'attempt'];

class StreamReading {
  /** The position up to which everything was read that will ever come. */
  lastId = '';
  readonly #follower: Follower;
  readonly #seesAll: boolean;
  #lastUpdateId = 0;
  /** The last update before a gap, if the next one can show whether any is missing. */
  #gapAfter: number | null = null;
  /** True if skipped events were asked for again, and none has come since. */
  #askedAgain = false;

  constructor(follower: Follower, seesAll: boolean) {
    this.#follower = follower;
    this.#seesAll = seesAll;
  }

  /** Resolves with 'again' when events were skipped that another connection from `lastId` will show. */
  async read(batches: AsyncGenerator<LivePart[]>): Promise<'ended' | 'again'> {
    let before = this.lastId;
    for await (const parts of batches) {
      for (const part of parts) {
        if (part.type === 'id') {
          before = this.lastId;
          this.lastId = part.id;
          continue;
        }
        if (IN_ORDER.includes(part.name)) this.#askedAgain = false;
        if (part.name === 'update') await this.#take(part.data);
        else if (part.name === 'gap') this.#noteGap();
        else if (part.name === 'skipped') {
          // The id of this event lies after what was skipped.
          this.lastId = before;
          if (this.#askedAgain) this.#follower.onLeftOut(countOf(part.data));
          else {
            this.#askedAgain = true;
            return 'again';
          }
        }
      }
    }
    return 'ended';
  }

  /** Says what it still does not know at the end. */
  end(): void {
    if (this.#gapAfter !== null) this.#follower.onGap(this.#gapAfter, null);
    this.#gapAfter = null;
  }

  /** A server that has just started reports a gap also when it only does not know which settings have changed. */
  #noteGap(): void {
    if (this.#lastUpdateId === 0 || !this.#seesAll) this.#follower.onGap(null, null);
    else this.#gapAfter ??= this.#lastUpdateId;
  }

  async #take(data: string): Promise<void> {
    const update = readUpdate(data);
    // The ids of a bot's updates rise; what is read again was taken before.
    if (update === null || update.id <= this.#lastUpdateId) return;
    this.#lastUpdateId = update.id;
    const after = this.#gapAfter;
    this.#gapAfter = null;
    // The ids of a bot's updates are consecutive but for jumps of the platform's own.
    if (after !== null && update.id !== after + 1) this.#follower.onGap(after, update.id);
    await this.#follower.onUpdate(update);
  }
}

function countOf(data: string): number {
  return Number(/"count":\s*(\d{1,9})/.exec(data)?.[1] ?? 1);
}
