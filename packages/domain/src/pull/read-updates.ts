import { setTimeout as delay } from 'node:timers/promises';
import type { ChannelWaiters } from '@flotilla/redis/channel-waiters.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { activityKeys, botKeys, programKeys } from '@flotilla/redis/keys.ts';
import { runScript } from '@flotilla/redis/scripts.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Bot } from '../bots/bot.ts';
import { wantedKinds } from '../update-log/wanted-kinds.ts';

export type PullDeps = { redis: RedisHandles; waiters: ChannelWaiters; clock: Clock; measurePull?: MeasurePull };

export type MeasurePull = {
  /** A poll ended; `appendedAgoMs` is how long ago its oldest update was appended (0 when there is none). */
  ended(outcome: 'at_once' | 'woken' | 'empty', appendedAgoMs: number): void;
};

export type PullRequest = {
  /** null: the default consumer, shared by getUpdates and the REST poll. `programConsumer` names that of a program. */
  consumer: string | null;
  /** Acknowledges as getUpdates does; see https://core.telegram.org/bots/api#getupdates. */
  offset: number;
  /** 1–100. */
  limit: number;
  timeoutMs: number;
  /**
   * Kinds to answer; null for all that the consumer gets, 'default' for the platform's default set. Kinds that are left
   * out move no cursor, but that of a program.
   */
  kinds: string[] | 'default' | null;
  /** The same for what a program took alone, perhaps when it had other kinds. */
  takenKinds?: string[] | null;
  /** Applies the platform's 3 s wait for repeated empty calls with a short timeout. */
  throttle: boolean;
  signal: AbortSignal;
};

/** The consumer of a program; no client can choose such a name. */
export function programConsumer(programId: number): string {
  return `program:${programId}`;
}

const REREAD_EVERY_MS = 5000;
const COALESCE_MS = 2;
const THROTTLED_MS = 3000;

/**
 * Returns the raw texts of a consumer's next updates; waits up to timeoutMs for the first. For a bot that is off,
 * deleted or not long-polled it waits and returns none. Throws FlotillaError('bad_request') for a seventeenth consumer;
 * rejects when Redis cannot be read.
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
      // Wait a moment for updates that arrive together, as the platform does.
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

/** Reads until the answer is full or the log ends, a limited number of updates at a time so as not to block Redis. */
async function readPage(deps: PullDeps, bot: Bot, request: PullRequest, offset: number, first: boolean): Promise<Page> {
  const page: Page = { updates: [], offset, throttled: false, appendedAtMs: 0 };
  const scan: Scan = { acknowledge: first, from: offset, answerBytes: 0, backFrom: '+', backCounted: '' };
  for (;;) {
    const found = await scanLog(deps, bot, { ...request, limit: request.limit - page.updates.length }, scan);
    switch (found.outcome) {
      case 'unreadable':
        return page;
      case 'further-back':
        Object.assign(scan, { from: found.offset, backFrom: found.backFrom, backCounted: found.backCounted });
        continue;
    }
    if (scan.acknowledge) page.throttled = found.throttled;
    if (page.updates.length === 0) page.appendedAtMs = found.appendedAtMs;
    page.updates.push(...found.updates);
    page.offset = found.from;
    if (!found.more) return page;
    Object.assign(scan, { acknowledge: false, from: found.from, answerBytes: found.answerBytes });
  }
}

type Scan = { acknowledge: boolean; from: number; answerBytes: number; backFrom: string; backCounted: string };
type Scanned =
  | {
      outcome: 'read';
      updates: string[];
      from: number;
      more: boolean;
      throttled: boolean;
      appendedAtMs: number;
      answerBytes: number;
    }
  | { outcome: 'further-back'; offset: number; backFrom: string; backCounted: string }
  /** The bot is gone or off. */
  | { outcome: 'unreadable' };

/** The keys of a program, if the consumer is one. */
function keysOfProgram(botId: number, consumer: string | null): ReturnType<typeof programKeys> | null {
  const [, programId] = /^program:(\d+)$/.exec(consumer ?? '') ?? [];
  return programId === undefined ? null : programKeys(botId, Number(programId));
}

async function scanLog(deps: PullDeps, bot: Bot, request: PullRequest, scan: Scan): Promise<Scanned> {
  const { consumer, limit, timeoutMs, throttle, kinds, takenKinds = null } = request;
  const keys = botKeys(bot.id);
  const ofProgram = keysOfProgram(bot.id, consumer);
  const hidden = ofProgram?.hidden ?? keys.deliveredByPush;
  const nowMs = deps.clock.nowMs();
  const reply = await runScript(
    deps.redis.commands,
    'pull-read',
    [
      ...[keys.state, keys.log, keys.consumers, hidden, ...activityKeys(bot.id, nowMs)],
      ...(ofProgram === null ? [] : [ofProgram.state]),
    ],
    [
      bot.registrationId,
      nowMs,
      consumer ?? '',
      scan.from,
      limit,
      timeoutMs,
      scan.acknowledge ? '1' : '0',
      throttle && scan.acknowledge ? '1' : '0',
      wantedKinds(kinds),
      scan.answerBytes,
      scan.backFrom,
      scan.backCounted,
      bot.revision,
      wantedKinds(takenKinds),
    ],
  );
  switch (reply[0]) {
    case 'TOO_MANY':
      throw new FlotillaError('bad_request', 'A bot can have at most 16 named consumers');
    case 'BACK': {
      const [, offset, backFrom, backCounted] = reply as [string, number, string, string];
      return { outcome: 'further-back', offset, backFrom, backCounted };
    }
    case 'OK': {
      const [, from, throttled, more, updates, appendedAtMs, answerBytes] = reply as OkReply;
      const flags = { more: more === 1, throttled: throttled === 1 };
      return { outcome: 'read', updates, from, ...flags, appendedAtMs, answerBytes };
    }
    default:
      return { outcome: 'unreadable' };
  }
}

type OkReply = [
  status: string,
  from: number,
  throttled: number,
  more: number,
  updates: string[],
  appendedAtMs: number,
  answerBytes: number,
];
