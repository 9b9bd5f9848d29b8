import { floodKeys } from '@flotilla/redis/call-keys.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { channels } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import {
  FLOODS_AT_MOST,
  type Flood,
  type FloodChange,
  type FloodsOfBot,
  floodHolding,
  floodMemory,
  floodOf,
} from './flood-memory.ts';
import { type FloodedCall, floodNamed, isOfChat, nameOfFlood, WHOLE_BOT } from './flooded-call.ts';
import { quietChats } from './quiet-chats.ts';
import type { SentLately } from './sent-lately.ts';
import { wholeBotTries } from './whole-bot-tries.ts';

/** Remembers, in every process of the fleet, until when the platform takes no calls of a bot. Never throws. */
export type Floods = {
  /** The floods of a bot; undefined if it has none. Asks no store. */
  ofBot(botId: number): FloodsOfBot | undefined;
  /** Ms until the platform takes this call again; 0 if it may be made now. */
  leftMs(call: FloodedCall): number;
  /** True for a call that a flood of the whole bot holds, and that may be made to find out about it. */
  mayTry(call: FloodedCall): boolean;
  /** Ms until whoever can wait should look again; 0 if the call may be made now, as a try too. */
  waitMs(call: FloodedCall): number;
  /** The platform answered 429. An earlier wait that ends later stays. */
  note(call: FloodedCall, retryAfterS: number): void;
  /** The platform took a call that began at this time of performance.now(). It ends a flood that was noted before. */
  passed(call: FloodedCall, begunAtMs: number): void;
  /** Since when and until when (ms) some of the bot's calls are held; null if none are. */
  statusOf(botId: number): FloodStatus | null;
  onChange(listener: (change: FloodChange) => void): () => void;
  close(): void;
};

export type FloodStatus = { sinceMs: number; untilMs: number };

type Deps = {
  redis: RedisHandles;
  clock: Clock;
  log: Logger;
  metrics: Pick<Metrics, 'gauge'>;
  sent: Pick<SentLately, 'count'>;
};

/** A longer wait is remembered for so long, and learned again then. */
const LONGEST_WAIT_S = 30 * 86_400;
/** While a bot goes on knocking, Redis is told as often as this. */
const TOLD_EVERY_MS = 1_000;
const READ_AGAIN_MS = 1_000;
/** So many other chats are refused before one more, that is quiet, tells of the whole bot. */
const OTHER_CHATS = 3;
/** So many others at once tell of it even if none is quiet: a bot that sends into busy chats only has no quiet one. */
const MANY_CHATS = 7;
/** For so long after a try has passed, many chats tell nothing. */
const DISPROVED_MS = 600_000;
/** Whole seconds and the way of a message let one end look like several. */
const SAME_END_MS = 250;

export function openFloods({ redis, clock, log, metrics, sent }: Deps): Floods {
  const memory = floodMemory();
  const quiet = quietChats(sent, memory);
  const tries = wholeBotTries(memory);
  /** When a bot's flooded family last took a message, of performance.now(). */
  const tookAtMs = new Map<string, number>();
  /** When a try passed while the bot rested as a whole: somebody fills many chats, and the bot is not at its limit. */
  const disprovedAtMs = new Map<string, number>();
  metrics.gauge({
    name: 'flotilla_floods',
    help: 'Chats, and bots as a whole, of which this process knows that the platform takes no more of some calls for a while.',
    collect() {
      this.set(memory.count());
    },
  });
  /** The newest number that this process has heard of. */
  let newest = 0;
  const toldAtMs = new Map<string, number>();
  const warn = throttledLog((reason: string, leftOut) =>
    log.warn({ reason, leftOut }, 'other processes could not be told of a flood'),
  );

  const hear = (call: FloodedCall, heard: { number: number | null; leftMs: number; agedMs: number }): void => {
    const [nowMs, clockMs] = [performance.now(), clock.nowMs()];
    const known = floodOf(memory.ofBot(call.botId), call);
    const isLonger = known === undefined || nowMs + heard.leftMs > known.endsAtMs + SAME_END_MS;
    memory.put({
      ...call,
      number: heard.number ?? known?.number ?? null,
      beganAtMs: known?.beganAtMs ?? nowMs - heard.agedMs,
      endsAtMs: isLonger ? nowMs + heard.leftMs : known.endsAtMs,
      heardAtMs: nowMs,
      sinceMs: known?.sinceMs ?? clockMs - heard.agedMs,
      untilMs: isLonger ? clockMs + heard.leftMs : known.untilMs,
    });
  };
  const share = async (flood: Flood): Promise<void> => {
    const name = nameOfFlood(flood);
    toldAtMs.set(name, performance.now());
    const forMs = Math.ceil(flood.endsAtMs - performance.now());
    if (forMs <= 0) return;
    try {
      await scripts.noteFlood(redis.commands, floodKeys, { name, forMs, most: FLOODS_AT_MOST });
    } catch (error) {
      toldAtMs.delete(name);
      warn(String(error));
    }
  };
  const load = async (): Promise<void> => {
    const before = memory.all();
    const read = await scripts.readFloods(redis.commands, floodKeys, { most: FLOODS_AT_MOST });
    // Redis has lost what it knew, or a 429 was noted while it was away.
    const isOlder = read.newest < newest;
    const named = new Map(read.floods.map((row) => [row.name, row]));
    newest = Math.max(newest, read.newest);
    for (const flood of before) {
      if (named.has(nameOfFlood(flood))) continue;
      if (isOlder || flood.number === null) await share(flood);
      else memory.end(flood);
    }
    for (const { name, ...row } of read.floods) {
      const call = floodNamed(name);
      if (call !== null) hear(call, row);
    }
  };
  let closed = false;
  const loadSoon = () => {
    load().catch((error: unknown) => {
      if (closed) return;
      log.warn({ reason: String(error) }, 'floods could not be read; this is tried again');
      setTimeout(loadSoon, READ_AGAIN_MS).unref();
    });
  };
  const subscription = redis.subscribe(channels.floods, {
    message: (payload) => {
      const [number, leftMs, agedMs, ...name] = String(payload).split(' ');
      const call = floodNamed(name.join(' '));
      newest = Math.max(newest, Number(number));
      if (call === null) return;
      if (leftMs === '0') memory.end(call);
      else hear(call, { number: Number(number), leftMs: Number(leftMs), agedMs: Number(agedMs) });
    },
    // Messages from while the connection was away are not repeated.
    listening: loadSoon,
  });
  const forget = memory.onChange(({ untilMs, ...call }) => {
    if (untilMs !== null) return;
    toldAtMs.delete(nameOfFlood(call));
    if (memory.ofBot(call.botId) === undefined) tookAtMs.delete(wholeOf(call));
  });

  const note = (call: FloodedCall, retryAfterS: number): void => {
    const before = floodOf(memory.ofBot(call.botId), call);
    hear(call, { number: null, leftMs: Math.min(retryAfterS, LONGEST_WAIT_S) * 1000, agedMs: 0 });
    const flood = floodOf(memory.ofBot(call.botId), call);
    if (flood === undefined) return;
    const isKnown = performance.now() - (toldAtMs.get(nameOfFlood(call)) ?? 0) < TOLD_EVERY_MS;
    if (!isKnown || flood.endsAtMs - (before?.endsAtMs ?? 0) > TOLD_EVERY_MS) void share(flood);
  };
  /** A flood that Redis does not know of yet would only come back. */
  const endIfBefore = (call: FloodedCall, begunAtMs: number): void => {
    const flood = floodOf(memory.ofBot(call.botId), call);
    if (flood === undefined || flood.number === null || begunAtMs <= flood.heardAtMs) return;
    memory.end(flood);
    const ended = { name: nameOfFlood(flood), number: flood.number };
    scripts.endFlood(redis.commands, floodKeys, ended).catch((error: unknown) => warn(String(error)));
  };
  /** In a quiet chat, while the bot rests or enough other chats were refused and none took a message since; or in one of many. */
  const isOfBot = (call: FloodedCall): boolean => {
    const floods = memory.ofBot(call.botId);
    if (floods === undefined || !isOfChat(call)) return false;
    const isQuiet = quiet.isQuiet(call);
    if (floodOf(floods, { ...call, place: WHOLE_BOT }) !== undefined) return isQuiet;
    const sinceMs = tookAtMs.get(wholeOf(call)) ?? Number.NEGATIVE_INFINITY;
    const isOther = (flood: Flood) =>
      flood.family === call.family && isOfChat(flood) && flood.place !== call.place && flood.heardAtMs > sinceMs;
    const others = [...floods.values()].filter(isOther).length;
    if (isQuiet) return others >= OTHER_CHATS;
    return (
      others >= MANY_CHATS && performance.now() - (disprovedAtMs.get(wholeOf(call)) ?? -DISPROVED_MS) >= DISPROVED_MS
    );
  };
  const noteDisproved = (call: FloodedCall): void => {
    const nowMs = performance.now();
    for (const [name, atMs] of disprovedAtMs) if (nowMs - atMs >= DISPROVED_MS) disprovedAtMs.delete(name);
    disprovedAtMs.set(wholeOf(call), nowMs);
  };
  const leftMs = (call: FloodedCall): number => {
    const holding = floodHolding(memory.ofBot(call.botId), call);
    return holding === undefined ? 0 : Math.max(0, holding.endsAtMs - performance.now());
  };

  return {
    ofBot: memory.ofBot,
    leftMs,
    mayTry: tries.mayTry,
    waitMs: (call) => {
      const held = leftMs(call);
      if (held === 0 || tries.mayTry(call)) return 0;
      const isOwn = !isOfChat(call) || floodOf(memory.ofBot(call.botId), call) !== undefined;
      return isOwn ? held : Math.min(held, Math.max(1, tries.nextInMs(call)));
    },
    note: (call, retryAfterS) => {
      if (!(retryAfterS > 0)) return;
      const tellsOfBot = isOfBot(call);
      note(call, retryAfterS);
      if (tellsOfBot) note({ ...call, place: WHOLE_BOT }, retryAfterS);
    },
    passed: (call, begunAtMs) => {
      if (memory.ofBot(call.botId) === undefined) return;
      endIfBefore(call, begunAtMs);
      if (!isOfChat(call)) return;
      tookAtMs.set(wholeOf(call), begunAtMs);
      const whole = { ...call, place: WHOLE_BOT };
      const rested = floodOf(memory.ofBot(call.botId), whole);
      if (rested !== undefined && begunAtMs > rested.heardAtMs) noteDisproved(call);
      endIfBefore(whole, begunAtMs);
    },
    statusOf: (botId) => {
      const floods = [...(memory.ofBot(botId)?.values() ?? [])];
      if (floods.length === 0) return null;
      return {
        sinceMs: Math.min(...floods.map(({ sinceMs }) => sinceMs)),
        untilMs: Math.max(...floods.map(({ untilMs }) => untilMs)),
      };
    },
    onChange: memory.onChange,
    close: () => {
      closed = true;
      subscription.close();
      forget();
      quiet.close();
      memory.close();
    },
  };
}

function wholeOf(call: FloodedCall): string {
  return nameOfFlood({ ...call, place: WHOLE_BOT });
}
