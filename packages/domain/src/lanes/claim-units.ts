import { setTimeout as delay } from 'node:timers/promises';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import { botKeys, shardOf } from '@flotilla/redis/keys.ts';
import { runScript, type ScriptReply } from '@flotilla/redis/scripts.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Bot } from '../bots/bot.ts';
import type { ClaimedUnit, ClaimedUpdate, SettledUnit } from './claimed-unit.ts';
import type { DeliveryFailure } from './delivery-failure.ts';
import type { RetryRecord } from './retry-schedule.ts';

/** A reader that has lanes: its script, and the keys of its lanes. */
type Reader = { script: 'claim-for-push' | 'claim-for-program' | 'claim-for-rules'; keys: LaneKeys };
type LaneKeys = { lanes: string; inFlight: string; work: string; redriven: string; lanePrefix: string };
export type ClaimDeps = { redis: RedisHandles; turns: { history: TurnQueue }; clock: Clock };

/** The arguments of every claim of a turn. */
export type ClaimRequest = {
  /** By it the script knows a claim that is sent again, and late copies: the turn, and the number of the claim in 7 digits. */
  name: string;
  /** null begins the turn: Redis then refuses older owners and makes their units in flight due again. */
  fencingToken: number | null;
  /** How many units to claim. */
  limit: number;
  trim: boolean;
  /**
   * When to take the pending turn away: 'idle' when nothing waits, 'asleep' also when all that waits is due later. 'hold'
   * leaves it for a turn that goes on when there is work.
   */
  end: 'idle' | 'asleep' | 'hold' | null;
  /** True while we surely own the turn. Only then is a claim sent again whose reply was lost. */
  ownsTurn(): boolean;
};

/** What a claim answers to every turn; each reader adds its own to `Claimed`. */
export type Claimed = {
  outcome: 'claimed';
  fencingToken: number;
  units: ClaimedUnit[];
  /** When (ms) to claim again; null when nothing waits for a time. */
  nextDueMs: number | null;
  /** The pending turn was taken away; see `end`. */
  ended: boolean;
  /** Nothing waits, and the turn hears of new work; see `end`. */
  held: boolean;
};

/** Somebody else owns the turn, the bot is gone, or its reader is off. */
export type ClaimLost = { outcome: 'lost' };

/** `answer`: the part of the reply that only the script of this reader has. */
type ClaimReply = (Claimed & { answer: ScriptReply }) | ClaimLost;

/** An update whose handling began this often and never ended becomes a dead letter. */
const BEGUN_AT_MOST = 3;
const ASK_AGAIN_AFTER_MS = 200;
/** The lock may be on another master, which still renews it: without this limit a turn would ask for ever. */
const ASK_AGAIN_FOR_MS = 8_000;

/**
 * One round trip of a turn: settles handled units, files new updates into lanes and claims due units. Rejects when
 * Redis does not answer.
 */
export async function claimUnits(
  deps: ClaimDeps,
  reader: Reader,
  bot: Bot,
  request: ClaimRequest,
  settled: SettledUnit[],
  own: { keys: (nowMs: number) => string[]; args: (string | number)[] },
): Promise<ClaimReply> {
  const keys = botKeys(bot.id);
  const { lanes, inFlight, work, redriven, lanePrefix } = reader.keys;
  const laneKeys = [lanes, inFlight, work, redriven];
  const scriptKeys = [keys.state, keys.log, ...laneKeys, keys.history, keys.pendingTurns, keys.consumers];
  let sent = 0;
  const ask = () => {
    const nowMs = deps.clock.nowMs();
    sent += 1;
    return runScript(
      deps.redis.commands,
      reader.script,
      [...scriptKeys, ...own.keys(nowMs)],
      [
        bot.registrationId,
        request.fencingToken ?? '',
        nowMs,
        bot.id,
        lanePrefix,
        request.limit,
        request.trim ? '1' : '0',
        BEGUN_AT_MOST,
        request.end ?? '',
        `${request.name}${String(sent).padStart(2, '0')}`,
        settled.length,
        ...settled.flatMap(settledArguments),
        ...own.args,
      ],
    );
  };
  const [status, fencingToken, nextDue, wakeHistory, ended, answer, ...units] = await untilAnswered(
    ask,
    request.ownsTurn,
  );
  if (status !== 'OK') return { outcome: 'lost' };
  // A lost wake must not fail the claim: upkeep finds the pending turn.
  if (wakeHistory === 1) void deps.turns.history.wake(shardOf(bot.id)).catch(() => {});
  return {
    outcome: 'claimed',
    fencingToken: fencingToken as number,
    units: units.map((unit) => claimedUnit(unit as ScriptReply)),
    nextDueMs: nextDue === '' ? null : Number(nextDue),
    ended: ended === 1,
    held: ended === 2,
    answer: answer as ScriptReply,
  };
}

/** Sends the claim again when its reply is lost, because only this turn knows the outcomes that it settles. */
async function untilAnswered(ask: () => Promise<ScriptReply>, ownsTurn: () => boolean): Promise<ScriptReply> {
  const giveUpAtMs = performance.now() + ASK_AGAIN_FOR_MS;
  while (true) {
    try {
      return await ask();
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error;
      await delay(ASK_AGAIN_AFTER_MS);
      if (!ownsTurn() || performance.now() >= giveUpAtMs) throw error;
    }
  }
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

/** Leaves absent values out, because JSON's null is not nil in Lua. The destinations pass through Lua as text. */
function failureText({
  lastStatus,
  firstFailedAtMs,
  lastFailedAtMs,
  destinations,
  excerpt,
  ...failure
}: DeliveryFailure): string {
  return JSON.stringify({
    ...failure,
    lastStatus: lastStatus ?? undefined,
    excerpt: excerpt ?? undefined,
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
