import { setTimeout as delay } from 'node:timers/promises';
import type { ChannelWaiters, Heard, Waiter } from '@flotilla/redis/channel-waiters.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Bot } from '../bots/bot.ts';
import { announcedUpdates } from './announced-updates.ts';
import type { CaughtUp } from './caught-up.ts';
import type { PulledUpdates } from './pulled-updates.ts';
import { isOfProgram, type Page, type PageRequest, readPage } from './read-page.ts';

export type PullDeps = {
  redis: RedisHandles;
  waiters: ChannelWaiters;
  caughtUp: CaughtUp;
  clock: Clock;
  measurePull?: MeasurePull;
};

export type MeasurePull = {
  /** A poll ended; `appendedAgoMs` is how long ago its oldest update was appended (0 when there is none). */
  ended(outcome: 'at_once' | 'woken' | 'empty', appendedAgoMs: number): void;
};

export type PullRequest = PageRequest & {
  /** Acknowledges as getUpdates does; see https://core.telegram.org/bots/api#getupdates. */
  offset: number;
  /** Asked when the configuration has changed since the poll began; null ends the poll. */
  renew?: () => Promise<Reading | null>;
  signal: AbortSignal;
};

/** What a poll reads by. */
export type Reading = { bot: Bot; kinds: PullRequest['kinds'] };

const REREAD_EVERY_MS = 5000;
/** A poll that is woken sooner is of a busy bot: it waits a moment for more, so that an answer has several updates. */
const BUSY_WITHIN_MS = 2;
const GATHER_MS = 1;
/** A changed configuration is in the state of its bot a moment before processes can know it. */
const RENEW_EVERY_MS = 100;
/** As at the platform: a poll without a timeout that repeats an offset within this time waits so long for an update. */
export const THROTTLED_MS = 3000;

/**
 * Returns a consumer's next updates; waits up to timeoutMs for the first. For a bot that is off,
 * deleted or not long-polled it waits and returns none. Throws FlotillaError('bad_request') for a seventeenth consumer;
 * rejects when Redis cannot be read.
 */
export async function readUpdates(deps: PullDeps, bot: Bot, request: PullRequest): Promise<PulledUpdates> {
  const { consumer, offset, timeoutMs, signal } = request;
  const known = deps.caughtUp.take(bot.id, consumer, offset);
  const listening = known ?? deps.waiters.listen(bot.id);
  let hasAll = false;
  try {
    const begunAtMs = performance.now();
    const reader = new PageReader(deps, bot, request, known !== null);
    const mayWait = known !== null && timeoutMs > 0;
    let { page, waited } = mayWait ? await waitToAcknowledge(deps, listening, reader, request) : AT_ONCE;
    page ??= await reader.next();
    const waitMs = page.throttled ? Math.max(request.timeoutMs, THROTTLED_MS) : request.timeoutMs;
    while (page.updates.count === 0 && page.state !== 'ended' && !signal.aborted) {
      const leftMs = waitMs - (performance.now() - begunAtMs);
      if (leftMs <= 0) break;
      waited = true;
      const pauseMs = page.state === 'changed' ? RENEW_EVERY_MS : REREAD_EVERY_MS;
      await listening.wait(Math.min(leftMs, pauseMs), signal);
      if (performance.now() - begunAtMs < BUSY_WITHIN_MS && leftMs > GATHER_MS) await delay(GATHER_MS);
      page = reader.announced(listening.takeHeard()) ?? (await reader.next());
    }
    measure(deps, page, waited);
    hasAll = page.updates.count > 0 && page.atEnd;
    if (hasAll) deps.caughtUp.keep(bot.id, consumer, page.offset, listening);
    return page.updates;
  } finally {
    if (!hasAll) listening.stop();
  }
}

/** The page that was announced to a poll before it went to Redis, if there is one, and whether it waited for that. */
type Meanwhile = { page: Page | null; waited: boolean };

const AT_ONCE: Meanwhile = { page: null, waited: false };

/**
 * A poll of a consumer that had got everything only acknowledges, until something new comes. So it waits for a shared
 * moment. If updates are announced before, it is answered, and sends its acknowledgement in the same pass of the event loop.
 */
async function waitToAcknowledge(
  { caughtUp }: PullDeps,
  listening: Waiter,
  reader: PageReader,
  { timeoutMs, signal }: PullRequest,
): Promise<Meanwhile> {
  const begunAtMs = performance.now();
  const moment = endWaitAt(caughtUp.moment(), listening);
  try {
    for (let waited = false; ; waited = true) {
      const heard = listening.takeHeard();
      if (heard !== null) {
        const page = reader.announced(heard);
        if (page === null) return { page, waited };
        if (page.updates.count > 0) {
          reader.acknowledge();
          caughtUp.flush();
          return { page, waited };
        }
      }
      if (moment.hasCome || signal.aborted || performance.now() - begunAtMs >= timeoutMs) return AT_ONCE;
      await listening.wait(timeoutMs, signal);
      if (!moment.hasCome && performance.now() - begunAtMs < BUSY_WITHIN_MS) await delay(GATHER_MS);
    }
  } finally {
    moment.forget();
  }
}

/** Ends what the waiter waits for when the moment comes, unless it was forgotten before. */
function endWaitAt(moment: Promise<void>, listening: Waiter): { hasCome: boolean; forget(): void } {
  let isForgotten = false;
  const awaited = {
    hasCome: false,
    forget: () => {
      isForgotten = true;
    },
  };
  void moment.then(() => {
    awaited.hasCome = true;
    if (!isForgotten) listening.endWait();
  });
  return awaited;
}

/** Reads on at every call, by the newest configuration. A class, because waiting polls are many and closures are larger. */
class PageReader {
  readonly #deps: PullDeps;
  readonly #request: PullRequest;
  #known: Reading;
  #offset: number;
  #first = true;
  /** Nothing was behind what was read last. */
  #atEnd: boolean;

  /** `hasAll`: the consumer has everything before its offset, and has heard everything since. */
  constructor(deps: PullDeps, bot: Bot, request: PullRequest, hasAll: boolean) {
    this.#deps = deps;
    this.#request = request;
    this.#known = { bot, kinds: request.kinds };
    this.#offset = request.offset;
    this.#atEnd = hasAll;
  }

  async next(): Promise<Page> {
    let page = await this.#read();
    while (page.state === 'changed') {
      const renewed = (await this.#request.renew?.()) ?? null;
      if (renewed === null) return { ...page, state: 'ended' };
      if (renewed.bot.revision === this.#known.bot.revision) return page;
      this.#known = renewed;
      page = await this.#read();
    }
    this.#offset = page.offset;
    this.#first = false;
    this.#atEnd = page.atEnd;
    return page;
  }

  /** What was heard of updates behind the last page. Null if these must be read. */
  announced(heard: Heard): Page | null {
    const { consumer, limit } = this.#request;
    const { bot, kinds } = this.#known;
    const getsAll = kinds === null && !isOfProgram(consumer);
    if (!this.#atEnd || !getsAll || heard === null) return null;
    const announced = announcedUpdates(bot, this.#offset, heard);
    if (announced === null || announced.updates.count > limit) return null;
    this.#offset = announced.offset;
    return { ...announced, throttled: false, atEnd: true, state: 'read' };
  }

  /**
   * Acknowledges what the poll does and reads nothing, without waiting for Redis. If Redis is away, the client's next poll
   * acknowledges more.
   */
  acknowledge(): void {
    const { bot, kinds } = this.#known;
    const request = { ...this.#request, kinds, limit: 0, throttle: false };
    readPage(this.#deps, bot, request, request.offset, true).catch(() => {});
  }

  #read(): Promise<Page> {
    const { bot, kinds } = this.#known;
    return readPage(this.#deps, bot, { ...this.#request, kinds }, this.#offset, this.#first);
  }
}

function measure({ measurePull, clock }: PullDeps, page: Page, waited: boolean): void {
  if (page.updates.count === 0) measurePull?.ended('empty', 0);
  else measurePull?.ended(waited ? 'woken' : 'at_once', Math.max(0, clock.nowMs() - page.appendedAtMs));
}
