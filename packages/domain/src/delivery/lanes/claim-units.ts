import { setTimeout as delay } from 'node:timers/promises';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import { activityPrefixes, botKeys, readerMinutesPrefix, shardOf } from '@flotilla/redis/keys.ts';
import type { OutcomesArgs, SettleArgs, TurnKeys, UnitRow } from '@flotilla/redis/script-calls.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import { measuredText } from '../../records/activity/reader-counts.ts';
import type { DeliveryFailure } from '../../records/history/delivery-failure.ts';
import { hitsText } from '../../records/history/rule-hits.ts';
import { attemptLine } from '../../records/journal/attempt-line.ts';
import type { ClaimedUnit, ClaimedUpdate, SettledUnit } from './claimed-unit.ts';
import type { RetryRecord } from './retry-schedule.ts';

/** The keys of a reader that has lanes, and its name. */
export type LaneKeys = Pick<TurnKeys, 'lanes' | 'inFlight' | 'work' | 'redriven' | 'attempts'> & {
  lanePrefix: string;
  reader: string;
};
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

/** The answer of a claim to every turn; each reader adds its own to `Claimed`. */
export type Claimed = {
  outcome: 'claimed';
  fencingToken: number;
  units: ClaimedUnit[];
  /** When (ms, of this process's clock) to claim again; null when nothing waits for a time. */
  nextDueMs: number | null;
  /** The pending turn was taken away; see `end`. */
  ended: boolean;
  /** Nothing waits, and the turn hears of new work; see `end`. */
  held: boolean;
};

/** Somebody else owns the turn, the bot is gone, or its reader is off. */
export type ClaimLost = { outcome: 'lost' };

/** The answer of every reader's script. */
type TurnReply =
  | { outcome: 'GONE' | 'OFF' | 'FENCED' | 'LATE' }
  | {
      outcome: 'OK';
      fencingToken: number;
      lookInMs: number | null;
      wakeHistory: boolean;
      ended: boolean;
      held: boolean;
      units: UnitRow[];
    };

/** `reply`: with what only the script of this reader answers. */
type ClaimReply<Reply> = (Claimed & { reply: Extract<Reply, { outcome: 'OK' }> }) | ClaimLost;

/** An update whose handling began this often and never ended becomes a dead letter. */
const BEGUN_AT_MOST = 3;
const ASK_AGAIN_AFTER_MS = 200;
/** The lock may be on another master, which still renews it: without this limit a turn would ask for ever. */
const ASK_AGAIN_FOR_MS = 8_000;

/**
 * One round trip of a turn: settles handled units, files new updates into lanes and claims due units. `claim` calls the
 * script of the reader. Rejects when Redis does not answer. Times go to and from Redis as durations, because its clock is another one.
 */
export async function claimUnits<Reply extends TurnReply>(
  deps: ClaimDeps,
  { lanePrefix, reader, ...laneKeys }: LaneKeys,
  bot: Bot,
  request: ClaimRequest,
  settled: SettledUnit[],
  claim: (keys: TurnKeys, args: OutcomesArgs) => Promise<Reply>,
): Promise<ClaimReply<Reply>> {
  const { state, log, history, pendingTurns, consumers, live, failing } = botKeys(bot.id);
  const keys = { state, log, history, pendingTurns, consumers, live, failing, ...laneKeys };
  const attempts = settled.flatMap((one) => one.attempts ?? []);
  const hits = hitsText(settled.flatMap((one) => one.hits ?? []));
  const measured = measuredText(attempts.filter(({ replay }) => replay === undefined));
  const did = { tried: attempts.map(attemptLine).join('\n'), measured, hits };
  const prefixes = { ...activityPrefixes(bot.id), readerMinutesPrefix: readerMinutesPrefix(bot.id, reader) };
  let sent = 0;
  const ask = () => {
    sent += 1;
    const nowMs = deps.clock.nowMs();
    return claim(keys, {
      ...registrationOf(bot),
      fencingToken: request.fencingToken,
      lanePrefix,
      limit: request.limit,
      trims: request.trim,
      begunAtMost: BEGUN_AT_MOST,
      ending: request.end,
      claim: `${request.name}${String(sent).padStart(2, '0')}`,
      ...did,
      ...prefixes,
      settled: settled.map((one) => settledArguments(one, nowMs)),
    });
  };
  const reply = await untilAnswered(ask, request.ownsTurn);
  if (!isClaimed(reply)) return { outcome: 'lost' };
  // A lost wake must not fail the claim: upkeep finds the pending turn.
  if (reply.wakeHistory) void deps.turns.history.wake(shardOf(bot.id)).catch(() => {});
  const { fencingToken, lookInMs, ended, held } = reply;
  const nowMs = deps.clock.nowMs();
  const units = reply.units.map((unit) => claimedUnit(unit, nowMs));
  const nextDueMs = lookInMs === null ? null : nowMs + lookInMs;
  return { outcome: 'claimed', fencingToken, units, nextDueMs, ended, held, reply };
}

function isClaimed<Reply extends TurnReply>(reply: Reply): reply is Extract<Reply, { outcome: 'OK' }> {
  return reply.outcome === 'OK';
}

/** Sends the claim again when its reply is lost, because only this turn knows the outcomes that it settles. */
async function untilAnswered<Reply>(ask: () => Promise<Reply>, ownsTurn: () => boolean): Promise<Reply> {
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

function settledArguments(settled: SettledUnit, nowMs: number): SettleArgs['settled'][number] {
  const { unit, outcome } = settled;
  const common = { lane: unit.lane, id: unit.unitId, members: unit.updates.length, outcome };
  switch (outcome) {
    case 'retry': {
      const json = JSON.stringify(settled.record);
      return { ...common, dueInMs: Math.ceil(settled.atMs - nowMs), json };
    }
    case 'waits':
    case 'crashed':
      return { ...common, dueInMs: Math.ceil(settled.atMs - nowMs), json: '' };
    case 'dead':
      return { ...common, dueInMs: null, json: failureText(settled.failure) };
    case 'delivered':
    case 'dropped':
    case 'returned':
      return { ...common, dueInMs: null, json: '' };
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

function claimedUnit({ lane, record, progress, updates }: UnitRow, nowMs: number): ClaimedUnit {
  const claimed = updates.map(
    ({ ageMs, livesMs, ...update }): ClaimedUpdate => ({
      ...update,
      acceptedAtMs: nowMs - ageMs,
      expiresAtMs: nowMs + livesMs,
    }),
  );
  return {
    lane,
    unitId: updates[0]!.inLane,
    updates: claimed as [ClaimedUpdate, ...ClaimedUpdate[]],
    retry: record === null ? null : (JSON.parse(record) as RetryRecord),
    progress,
  };
}
