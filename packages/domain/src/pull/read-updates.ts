import { setTimeout as delay } from 'node:timers/promises';
import type { ChannelWaiters, Heard, Waiter } from '@flotilla/redis/channel-waiters.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { activityKeys, botKeys, programKeys } from '@flotilla/redis/keys.ts';
import { runScriptRaw } from '@flotilla/redis/scripts.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Bot } from '../bots/bot.ts';
import { wantedKinds } from '../update-log/wanted-kinds.ts';
import { announcedUpdates } from './announced-updates.ts';
import type { CaughtUp } from './caught-up.ts';
import { joinUpdates, NO_UPDATES, type PulledUpdates } from './pulled-updates.ts';

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
  /** Asked when the configuration has changed since the poll began; null ends the poll. */
  renew?: () => Promise<Reading | null>;
  /** Applies the platform's 3 s wait for repeated empty calls with a short timeout. */
  throttle: boolean;
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
const THROTTLED_MS = 3000;

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
    let { page, waited } = mayWait ? await acknowledgingLater(deps, listening, reader, request) : AT_ONCE;
    page ??= await reader.next();
    const waitMs = page.throttled ? Math.max(request.timeoutMs, THROTTLED_MS) : request.timeoutMs;
    while (page.updates.count === 0 && page.state !== 'ended' && !signal.aborted) {
      const leftMs = waitMs - (performance.now() - begunAtMs);
      if (leftMs <= 0) break;
      waited = true;
      const pauseMs = page.state === 'changed' ? RENEW_EVERY_MS : REREAD_EVERY_MS;
      await listening.wake(Math.min(leftMs, pauseMs), signal);
      if (performance.now() - begunAtMs < BUSY_WITHIN_MS && leftMs > GATHER_MS) await delay(GATHER_MS);
      page = reader.announced(listening.heard()) ?? (await reader.next());
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
 * moment. If updates are announced before, it is answered, and its acknowledgement is on the way to Redis before the answer.
 */
async function acknowledgingLater(
  { caughtUp }: PullDeps,
  listening: Waiter,
  reader: PageReader,
  { timeoutMs, signal }: PullRequest,
): Promise<Meanwhile> {
  const begunAtMs = performance.now();
  let waits = true;
  void caughtUp.moment().then(() => {
    if (waits) listening.endWait();
    waits = false;
  });
  for (let waited = false; ; waited = true) {
    const heard = listening.heard();
    const page = heard === null ? null : reader.announced(heard);
    const isNew = heard !== null && page?.updates.count !== 0;
    if (isNew && page !== null) {
      waits = false;
      reader.acknowledge();
      caughtUp.flush();
      return { page, waited };
    }
    if (isNew || !waits) {
      waits = false;
      return { page: null, waited: waited && isNew };
    }
    await listening.wake(timeoutMs, signal);
    if (signal.aborted || performance.now() - begunAtMs >= timeoutMs) waits = false;
    if (waits && performance.now() - begunAtMs < BUSY_WITHIN_MS) await delay(GATHER_MS);
  }
}

type Page = {
  updates: PulledUpdates;
  offset: number;
  throttled: boolean;
  appendedAtMs: number;
  /** Nothing is behind what was read. */
  atEnd: boolean;
  /** changed: nothing was read, because the configuration has changed. ended: nothing more is to be read. */
  state: 'read' | 'changed' | 'ended';
};

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
    const getsAll = kinds === null && keysOfProgram(bot.id, consumer) === null;
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

/** Reads until the answer is full or the log ends, a limited number of updates at a time so as not to block Redis. */
async function readPage(deps: PullDeps, bot: Bot, request: PullRequest, offset: number, first: boolean): Promise<Page> {
  const page: Page = { updates: NO_UPDATES, offset, throttled: false, appendedAtMs: 0, atEnd: false, state: 'read' };
  const scan: Scan = { acknowledge: first, from: offset, answerBytes: 0, backFrom: '+', backCounted: '' };
  for (;;) {
    const found = await scanLog(deps, bot, { ...request, limit: request.limit - page.updates.count }, scan);
    switch (found.outcome) {
      case 'unreadable':
        return page;
      case 'changed':
        return page.updates.count > 0 ? page : { ...page, state: 'changed' };
      case 'further-back':
        Object.assign(scan, { from: found.offset, backFrom: found.backFrom, backCounted: found.backCounted });
        continue;
    }
    if (scan.acknowledge) page.throttled = found.throttled;
    if (page.updates.count === 0) page.appendedAtMs = found.appendedAtMs;
    page.updates = joinUpdates([page.updates, found.updates]);
    page.offset = found.from;
    page.atEnd = found.atEnd;
    if (!found.more) return page;
    Object.assign(scan, { acknowledge: false, from: found.from, answerBytes: found.answerBytes });
  }
}

type Scan = { acknowledge: boolean; from: number; answerBytes: number; backFrom: string; backCounted: string };
type Scanned =
  | {
      outcome: 'read';
      updates: PulledUpdates;
      from: number;
      more: boolean;
      throttled: boolean;
      appendedAtMs: number;
      answerBytes: number;
      atEnd: boolean;
    }
  | { outcome: 'further-back'; offset: number; backFrom: string; backCounted: string }
  | { outcome: 'changed' }
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
  const deliveredByPush = ofProgram?.deliveredByPush ?? keys.deliveredByPush;
  const nowMs = deps.clock.nowMs();
  const reply = await runScriptRaw(
    deps.redis.commands,
    'pull-read',
    [
      ...[keys.state, keys.log, keys.consumers, deliveredByPush, ...activityKeys(bot.id, nowMs)],
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
  switch (String(reply[0])) {
    case 'TOO_MANY':
      throw new FlotillaError('bad_request', 'A bot can have at most 16 named consumers');
    case 'CHANGED':
      return { outcome: 'changed' };
    case 'BACK': {
      const [, offset, backFrom, backCounted] = reply as [Buffer, number, Buffer, Buffer];
      return { outcome: 'further-back', offset, backFrom: String(backFrom), backCounted: String(backCounted) };
    }
    case 'OK': {
      const [, from, throttled, more, count, joined, appendedAtMs, answerBytes, atEnd] = reply as OkReply;
      const flags = { more: more === 1, throttled: throttled === 1, atEnd: atEnd === 1 };
      return { outcome: 'read', updates: { count, joined }, from, ...flags, appendedAtMs, answerBytes };
    }
    default:
      return { outcome: 'unreadable' };
  }
}

type OkReply = [
  status: Buffer,
  from: number,
  throttled: number,
  more: number,
  count: number,
  joined: Buffer,
  appendedAtMs: number,
  answerBytes: number,
  atEnd: number,
];
