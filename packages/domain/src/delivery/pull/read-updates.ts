import type { ChannelWaiters } from '@flotilla/redis/channel-waiters.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { PulledUpdates } from './pulled-updates.ts';
import { type Page, type PageRequest, readPage } from './read-page.ts';

export type PullDeps = {
  redis: RedisHandles;
  waiters: ChannelWaiters;
  measurePull?: MeasurePull;
};

export type MeasurePull = {
  /** A poll ended; `appendedAgoMs` is how long before that its oldest update was appended (0 when there is none). */
  ended(outcome: 'at_once' | 'woken' | 'empty', appendedAgoMs: number): void;
};

export type PullRequest = PageRequest & {
  /** Acknowledges as getUpdates does; see https://core.telegram.org/bots/api#getupdates. */
  offset: number;
  /** Asked when the configuration has changed since the poll began; null ends the poll. */
  renew?: () => Promise<Reading | null>;
  signal: AbortSignal;
};

/** The arguments of a poll. */
export type Reading = { bot: Bot; kinds: PullRequest['kinds'] };

const REREAD_EVERY_MS = 5000;
/** A changed configuration is in the state of its bot a moment before processes can know it. */
const RENEW_EVERY_MS = 100;
/** The platform does so too: a poll without a timeout that repeats an offset within this time waits so long for an update. */
export const THROTTLED_MS = 3000;

/**
 * Returns a consumer's next updates; waits up to timeoutMs for the first. It subscribes before it reads, so that no append
 * between reading and waiting is missed. For a bot that is off, deleted or not long-polled it waits and returns none.
 * Throws FlotillaError('bad_request') for a consumer above the share of its owner; rejects when Redis cannot be read.
 */
export async function readUpdates(deps: PullDeps, bot: Bot, request: PullRequest): Promise<PulledUpdates> {
  const { timeoutMs, signal } = request;
  const begunAtMs = performance.now();
  const waiter = deps.waiters.listen(bot.id);
  try {
    const readNext = pageReader(deps, bot, request);
    let page = await readNext();
    const waitMs = page.throttled ? Math.max(timeoutMs, THROTTLED_MS) : timeoutMs;
    let waited = false;
    while (page.updates.count === 0 && page.state !== 'ended' && !signal.aborted) {
      const leftMs = waitMs - (performance.now() - begunAtMs);
      if (leftMs <= 0) break;
      waited = true;
      await waiter.wait(Math.min(leftMs, page.state === 'changed' ? RENEW_EVERY_MS : REREAD_EVERY_MS), signal);
      page = await readNext();
    }
    measure(deps, page, waited);
    return page.updates;
  } finally {
    waiter.stop();
  }
}

/** Reads on from where the last read ended, by the newest configuration. The first read acknowledges. */
function pageReader(deps: PullDeps, bot: Bot, request: PullRequest): () => Promise<Page> {
  let reading: Reading = { bot, kinds: request.kinds };
  let { offset } = request;
  let isFirst = true;
  const read = () => readPage(deps, reading.bot, { ...request, kinds: reading.kinds }, offset, isFirst);
  return async () => {
    let page = await read();
    while (page.state === 'changed') {
      const renewed = (await request.renew?.()) ?? null;
      if (renewed === null) return { ...page, state: 'ended' };
      if (renewed.bot.revision === reading.bot.revision) return page;
      reading = renewed;
      page = await read();
    }
    offset = page.offset;
    isFirst = false;
    return page;
  };
}

function measure({ measurePull }: PullDeps, page: Page, waited: boolean): void {
  if (page.updates.count === 0) measurePull?.ended('empty', 0);
  else measurePull?.ended(waited ? 'woken' : 'at_once', page.appendedAgoMs);
}
