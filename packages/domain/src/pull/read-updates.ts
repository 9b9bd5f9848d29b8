import { setTimeout as delay } from 'node:timers/promises';
import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import type { ChannelWaiters } from '@flotilla/redis/channel-waiters.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { runScript, type ScriptReply } from '@flotilla/redis/scripts.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Bot } from '../bots/bot.ts';

export type PullDeps = { redis: RedisHandles; waiters: ChannelWaiters; clock: Clock; measurePull?: MeasurePull };

export type MeasurePull = {
  /** A poll ended; of one that waited for its updates, how long ago (ms) the oldest of them was appended. */
  ended(outcome: 'at_once' | 'woken' | 'empty', appendedAgoMs: number): void;
};

export type PullRequest = {
  /** null: the default consumer, shared by getUpdates and the REST poll. */
  consumer: string | null;
  /** Acknowledges as getUpdates does; see https://core.telegram.org/bots/api#getupdates. */
  offset: number;
  /** 1–100. */
  limit: number;
  timeoutMs: number;
  /** Kinds a named consumer wants; null: all. The default consumer's are decided when an update is appended. */
  kinds: string[] | null;
  /** The platform's 3 s wait of repeated empty calls with a short timeout. */
  throttle: boolean;
  signal: AbortSignal;
};

const REREAD_EVERY_MS = 5000;
const COALESCE_MS = 2;
const THROTTLED_MS = 3000;

/**
 * The raw texts of a consumer's next updates; waits up to timeoutMs for the first. A bot that is off, deleted or not
 * long-polled waits and gets none. Throws FlotillaError('bad_request') for a seventeenth consumer; rejects when
 * Redis cannot be read.
 */
export async function readUpdates(deps: PullDeps, bot: Bot, request: PullRequest): Promise<string[]> {
  const listening = deps.waiters.listen(bot.id);
  try {
    const begunAtMs = performance.now();
    let page = await readPage(deps, bot, request, request.offset, true);
    let waited = false;
    const waitMs = page.throttled ? Math.max(request.timeoutMs, THROTTLED_MS) : request.timeoutMs;
    while (page.updates.length === 0 && !request.signal.aborted) {
      const leftMs = waitMs - (performance.now() - begunAtMs);
      if (leftMs <= 0) break;
      waited = true;
      await listening.wake(Math.min(leftMs, REREAD_EVERY_MS), request.signal);
      // The platform, too, gathers for a moment what arrives together.
      if (leftMs > COALESCE_MS) await delay(COALESCE_MS);
      page = await readPage(deps, bot, request, page.offset, false);
    }
    measure(deps, page, waited);
    return page.updates;
  } finally {
    listening.stop();
  }
}

type Page = { updates: string[]; offset: number; throttled: boolean; appendedAtMs: number };

function measure({ measurePull, clock }: PullDeps, page: Page, waited: boolean): void {
  if (page.updates.length === 0) measurePull?.ended('empty', 0);
  else measurePull?.ended(waited ? 'woken' : 'at_once', Math.max(0, clock.nowMs() - page.appendedAtMs));
}

async function readPage(deps: PullDeps, bot: Bot, request: PullRequest, offset: number, first: boolean): Promise<Page> {
  const keys = botKeys(bot.id);
  let throttled = false;
  let from = offset;
  let acknowledge = first;
  while (true) {
    const reply = await runScript(
      deps.redis.commands,
      'pull-read',
      [keys.state, keys.log, keys.consumers, keys.pulledElsewhere],
      [
        bot.generation,
        deps.clock.nowMs(),
        request.consumer ?? '',
        from,
        request.limit,
        request.timeoutMs,
        acknowledge ? '1' : '0',
        request.throttle && acknowledge ? '1' : '0',
        request.kinds === null ? '' : `,${request.kinds.join(',')},`,
      ],
    );
    const [status, nextOffset, wasThrottled, moreFrom, updates, appendedAtMs] = reply as [
      string,
      number,
      number,
      number,
      ScriptReply,
      number,
    ];
    if (status === 'TOO_MANY') throw new FlotillaError('bad_request', 'A bot can have at most 16 named consumers');
    if (status !== 'OK') return { updates: [], offset, throttled: false, appendedAtMs: 0 };
    if (acknowledge) {
      throttled = wasThrottled === 1;
      offset = nextOffset;
    }
    if (moreFrom === 0) return { updates: updates as string[], offset, throttled, appendedAtMs };
    acknowledge = false;
    from = moreFrom;
  }
}
