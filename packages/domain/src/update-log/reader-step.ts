import { setTimeout as delay } from 'node:timers/promises';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import { botKeys, shardOf } from '@flotilla/redis/keys.ts';
import { runScript, type ScriptReply } from '@flotilla/redis/scripts.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Bot } from '../bots/bot.ts';
import type { DeliveryFailure } from './delivery-failure.ts';

/** The readers that have lanes. */
type Reader = 'push' | 'rules';
type StepDeps = { redis: RedisHandles; turns: { history: TurnQueue }; clock: Clock };

/** Updates handed out to be handled together: one, or the members of an album, oldest first. */
export type LaneUnit = {
  lane: string;
  /** How the first one is named in its lane: its id, or `r<dead letter id>` when it is sent again. */
  unitId: string;
  updates: {
    id: number;
    raw: string;
    kind: string;
    acceptedAtMs: number;
    expiresAtMs: number;
    /** Of the span in which it was accepted; null where that was not traced. */
    traceparent: string | null;
  }[];
  /** JSON of its failed tries, '' when there was none. */
  record: string;
  /** JSON of what a rule has sent of it already, '' when nothing. */
  progress: string;
};

/** What became of a unit. */
export type Settled = { lane: string; unitId: string; members: number } & (
  | { outcome: 'ok' }
  | { outcome: 'later'; atMs: number; record: string }
  | { outcome: 'dead'; failure: DeliveryFailure }
  /** Our own handling failed: begun again, until it has been begun too often. */
  | { outcome: 'threw'; atMs: number }
  /** Not begun after all: due again at once. */
  | { outcome: 'release' }
);

/** What every round of a reader's turn says. */
export type Round = {
  /** Of this round alone, of all that this bot's turns ever have: by it a round is known that is asked for again. */
  name: string;
  /** null begins the turn: older owners are refused from then on, and what they had in flight is due again. */
  fencingToken: number | null;
  /** How many units to hand out. */
  room: number;
  tidy: boolean;
  /** Takes the pending turn away when nothing waits ('idle'), or when what waits has a time that is known ('asleep'). */
  end: 'idle' | 'asleep' | null;
  /** Whether the turn is surely still ours: so long a round whose answer was lost is asked for again. */
  held(): boolean;
};

export type ReaderStep =
  /** Somebody else owns the turn, the bot is gone, or its reader is off. */
  | { outcome: 'lost' }
  | {
      outcome: 'ok';
      fencingToken: number;
      units: LaneUnit[];
      /** When (ms) to look again; null when nothing waits for a time. */
      nextDueMs: number | null;
      /** Nothing is left, and the pending turn is taken away. */
      ended: boolean;
      /** What the reader's own script answers. */
      named: ScriptReply;
    };

const SCRIPTS = { push: 'push-step', rules: 'rules-step' } as const;
/** An update whose handling was begun this often and never ended is buried. */
const BEGUN_AT_MOST = 3;
const ASK_AGAIN_AFTER_MS = 200;
/** Locks may be renewed on a master that serves while the bot's own does not: its turn gives its room to others then. */
const ASK_AGAIN_FOR_MS = 8_000;

/** One round trip of a reader's turn: results in, what is new filed into lanes, what is due out. */
export async function readerStep(
  deps: StepDeps,
  reader: Reader,
  bot: Bot,
  round: Round,
  settled: Settled[],
  own: { keys: string[]; args: (string | number)[] },
): Promise<ReaderStep> {
  const keys = botKeys(bot.id);
  const scriptKeys = [keys.state, keys.log, ...laneKeys(keys, reader), keys.history, keys.pendingTurns, keys.consumers];
  const ask = () =>
    runScript(
      deps.redis.commands,
      SCRIPTS[reader],
      [...scriptKeys, ...own.keys],
      [
        bot.registrationId,
        round.fencingToken ?? '',
        deps.clock.nowMs(),
        bot.id,
        reader === 'push' ? keys.lane('') : keys.rulesLane(''),
        round.room,
        round.tidy ? '1' : '0',
        BEGUN_AT_MOST,
        round.end ?? '',
        round.name,
        settled.length,
        ...settled.flatMap(resultArguments),
        ...own.args,
      ],
    );
  const [status, fencingToken, nextDue, wakeHistory, ended, named, ...units] = await untilAnswered(ask, round.held);
  if (status !== 'OK') return { outcome: 'lost' };
  // Not worth what was handed out: upkeep wakes what this may miss.
  if (wakeHistory === 1) void deps.turns.history.wake(shardOf(bot.id)).catch(() => {});
  return {
    outcome: 'ok',
    fencingToken: fencingToken as number,
    units: units.map((unit) => laneUnit(unit as ScriptReply)),
    nextDueMs: nextDue === '' ? null : Number(nextDue),
    ended: ended === 1,
    named: named as ScriptReply,
  };
}

/** What is in doubt is settled by asking again: what became of updates is kept here, and sent again by nobody else. */
async function untilAnswered(ask: () => Promise<ScriptReply>, held: () => boolean): Promise<ScriptReply> {
  const giveUpAtMs = performance.now() + ASK_AGAIN_FOR_MS;
  while (true) {
    try {
      return await ask();
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error;
      await delay(ASK_AGAIN_AFTER_MS);
      if (!held() || performance.now() >= giveUpAtMs) throw error;
    }
  }
}

function laneKeys(keys: ReturnType<typeof botKeys>, reader: Reader): string[] {
  if (reader === 'push') return [keys.lanes, keys.flight, keys.work, keys.redriven];
  return [keys.rulesLanes, keys.rulesFlight, keys.rulesWork, keys.rulesRedriven];
}

function resultArguments(settled: Settled): (string | number)[] {
  const { lane, unitId, members, outcome } = settled;
  switch (outcome) {
    case 'later':
      return [lane, unitId, members, outcome, Math.ceil(settled.atMs), settled.record];
    case 'threw':
      return [lane, unitId, members, outcome, Math.ceil(settled.atMs), ''];
    case 'dead':
      return [lane, unitId, members, outcome, '', failureText(settled.failure)];
    default:
      return [lane, unitId, members, outcome, '', ''];
  }
}

/** What is absent is left out, since a null of JSON is not nil in Lua; the destinations pass through Lua as a text. */
function failureText({
  lastStatus,
  firstFailedAtMs,
  lastFailedAtMs,
  destinations,
  ...failure
}: DeliveryFailure): string {
  return JSON.stringify({
    ...failure,
    lastStatus: lastStatus ?? undefined,
    firstFailedAtMs: firstFailedAtMs ?? undefined,
    lastFailedAtMs: lastFailedAtMs ?? undefined,
    destinations: destinations.length === 0 ? undefined : JSON.stringify(destinations),
  });
}

const MEMBER_FIELDS = 7;

function laneUnit(reply: ScriptReply): LaneUnit {
  const [lane, record, progress, ...members] = reply;
  const updates: LaneUnit['updates'] = [];
  for (let at = 0; at < members.length; at += MEMBER_FIELDS) {
    const [, id, raw, kind, acceptedAtMs, expiresAtMs, traceparent] = members.slice(at, at + MEMBER_FIELDS);
    updates.push({
      id: Number(id),
      raw: raw as string,
      kind: kind as string,
      acceptedAtMs: Number(acceptedAtMs),
      expiresAtMs: Number(expiresAtMs),
      traceparent: traceparent === '' ? null : (traceparent as string),
    });
  }
  return {
    lane: lane as string,
    unitId: String(members[0]),
    updates,
    record: record as string,
    progress: progress as string,
  };
}
