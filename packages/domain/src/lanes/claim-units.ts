import { setTimeout as delay } from 'node:timers/promises';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import { botKeys, shardOf } from '@flotilla/redis/keys.ts';
import { runScript, type ScriptReply } from '@flotilla/redis/scripts.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Bot } from '../bots/bot.ts';
import type { DeliveryFailure } from '../update-log/delivery-failure.ts';
import type { ClaimedUnit, ClaimedUpdate, SettledUnit } from './claimed-unit.ts';
import type { RetryRecord } from './retry-schedule.ts';

/** The readers that have lanes. */
type Reader = 'push' | 'rules';
export type ClaimDeps = { redis: RedisHandles; turns: { history: TurnQueue }; clock: Clock };

/** What every claim of a turn says. */
export type ClaimRequest = {
  /** Of this claim alone, of all that this bot's turns ever make: by it one that is asked for again is known. */
  name: string;
  /** null begins the turn: older owners are refused from then on, and what they had in flight is due again. */
  fencingToken: number | null;
  /** How many units to claim. */
  limit: number;
  tidy: boolean;
  /** Takes the pending turn away when nothing waits ('idle'), or when what waits has a time that is known ('asleep'). */
  end: 'idle' | 'asleep' | null;
  /** True while we surely own the turn; only then is a lost reply asked for again. */
  held(): boolean;
};

export type Claim =
  /** Somebody else owns the turn, the bot is gone, or its reader is off. */
  | { outcome: 'lost' }
  | {
      outcome: 'claimed';
      fencingToken: number;
      units: ClaimedUnit[];
      /** When (ms) to look again; null when nothing waits for a time. */
      nextDueMs: number | null;
      /** Nothing is left, and the pending turn is taken away. */
      ended: boolean;
      /** What the reader's own script answers. */
      answer: ScriptReply;
    };

const SCRIPTS = { push: 'claim-for-push', rules: 'claim-for-rules' } as const;
/** An update whose handling was begun this often and never ended is buried. */
const BEGUN_AT_MOST = 3;
const ASK_AGAIN_AFTER_MS = 200;
/** Renewals of the lock may succeed on another master: give up after this time, so that others get the room. */
const ASK_AGAIN_FOR_MS = 8_000;

/** One round trip of a turn: settles what was handled, files what is new into lanes, claims what is due. */
export async function claimUnits(
  deps: ClaimDeps,
  reader: Reader,
  bot: Bot,
  request: ClaimRequest,
  settled: SettledUnit[],
  own: { keys: string[]; args: (string | number)[] },
): Promise<Claim> {
  const keys = botKeys(bot.id);
  const scriptKeys = [keys.state, keys.log, ...laneKeys(keys, reader), keys.history, keys.pendingTurns, keys.consumers];
  const ask = () =>
    runScript(
      deps.redis.commands,
      SCRIPTS[reader],
      [...scriptKeys, ...own.keys],
      [
        bot.registrationId,
        request.fencingToken ?? '',
        deps.clock.nowMs(),
        bot.id,
        reader === 'push' ? keys.lane('') : keys.rulesLane(''),
        request.limit,
        request.tidy ? '1' : '0',
        BEGUN_AT_MOST,
        request.end ?? '',
        request.name,
        settled.length,
        ...settled.flatMap(settledArguments),
        ...own.args,
      ],
    );
  const [status, fencingToken, nextDue, wakeHistory, ended, answer, ...units] = await untilAnswered(ask, request.held);
  if (status !== 'OK') return { outcome: 'lost' };
  // Not worth what was claimed: upkeep wakes what this may miss.
  if (wakeHistory === 1) void deps.turns.history.wake(shardOf(bot.id)).catch(() => {});
  return {
    outcome: 'claimed',
    fencingToken: fencingToken as number,
    units: units.map((unit) => claimedUnit(unit as ScriptReply)),
    nextDueMs: nextDue === '' ? null : Number(nextDue),
    ended: ended === 1,
    answer: answer as ScriptReply,
  };
}

/** Only this turn knows what came of its units: a lost reply is asked for again. */
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
  if (reader === 'push') return [keys.lanes, keys.inFlight, keys.work, keys.redriven];
  return [keys.rulesLanes, keys.rulesInFlight, keys.rulesWork, keys.rulesRedriven];
}

function settledArguments(settled: SettledUnit): (string | number)[] {
  const { unit, outcome } = settled;
  const common = [unit.lane, unit.unitId, unit.updates.length, outcome];
  switch (outcome) {
    case 'retry':
      return [...common, Math.ceil(settled.atMs), settled.record === null ? '' : JSON.stringify(settled.record)];
    case 'crashed':
      return [...common, Math.ceil(settled.atMs), ''];
    case 'dead':
      return [...common, '', failureText(settled.failure)];
    case 'delivered':
    case 'dropped':
    case 'returned':
      return [...common, '', ''];
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

const UPDATE_FIELDS = 7;

function claimedUnit(reply: ScriptReply): ClaimedUnit {
  const [lane, record, progress, unitId] = reply;
  const updates: ClaimedUpdate[] = [];
  for (let at = 3; at < reply.length; at += UPDATE_FIELDS) {
    const [, id, raw, kind, acceptedAtMs, expiresAtMs, traceparent] = reply.slice(at, at + UPDATE_FIELDS);
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
    unitId: String(unitId),
    updates: updates as ClaimedUnit['updates'],
    retry: record === '' ? null : (JSON.parse(record as string) as RetryRecord),
    progress: progress as string,
  };
}
