import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Bot } from '../bots/bot.ts';
import type { DeliveryFailure } from '../update-log/delivery-failure.ts';
import { type LaneUnit, type Round, readerStep, type Settled } from '../update-log/reader-step.ts';
import type { RetryRecord } from './delivery-schedule.ts';

export type PushDeps = { redis: RedisHandles; turns: { push: TurnQueue; history: TurnQueue }; clock: Clock };

/** An update handed out for sending. */
export type DueUpdate = {
  lane: string;
  /** How it is named in its lane: its id, or `r<dead letter id>` when it is sent again. */
  unitId: string;
  id: number;
  raw: string;
  kind: string;
  acceptedAtMs: number;
  expiresAtMs: number;
  retry: RetryRecord | null;
  /** By which its trace goes on; null when its intake was not traced. */
  traceparent: string | null;
};

/** One try, as a person reads it in the attempt log. */
export type Attempt = {
  at: string;
  update_id: number;
  /** 0 when there was no answer. */
  status: number;
  duration_ms: number;
  /** Absent when it was delivered. */
  error?: string;
};

/** What became of an update that was handed out. */
export type Finished = { lane: string; unitId: string; attempt?: Attempt } & (
  | { outcome: 'ok' }
  /** A rule keeps it from the backend. */
  | { outcome: 'dropped' }
  | { outcome: 'retry'; record: RetryRecord }
  | { outcome: 'dead'; failure: DeliveryFailure }
  /** Our own handling failed: begun again, until it has been begun too often. */
  | { outcome: 'threw' }
  /** Not sent after all: due again at once. */
  | { outcome: 'release' }
);

export type PushStep =
  | { outcome: 'lost' }
  | {
      outcome: 'ok';
      fencingToken: number;
      due: DueUpdate[];
      /** When (ms) to look again: the earliest lane's time, or a closed backend's next probe; null when none waits. */
      nextDueMs: number | null;
      moreToFile: boolean;
      /** The backend has answered nothing but 410 Gone for 23 hours. */
      hopeless: boolean;
      /** The breaker closed in this round: a probe was delivered. */
      resumed: boolean;
      /** The breaker opened in this round. */
      opened: boolean;
      /** When (ms) an update was last delivered before this round. */
      deliveredAtMs: number;
      /** Nothing is left, and the pending turn is taken away. */
      ended: boolean;
    };

const GONE = 410;

/** One round trip of a push turn: results in, new updates filed into lanes, due ones out. */
export async function pushStep(deps: PushDeps, bot: Bot, round: Round & { finished: Finished[] }): Promise<PushStep> {
  const attempts = round.finished.flatMap(({ attempt }) => attempt ?? []);
  const failures = attempts.filter(({ error }) => error !== undefined);
  const nowMs = deps.clock.nowMs();
  const step = await readerStep(
    deps,
    'push',
    bot,
    round,
    round.finished.map((finished) => settledBy(finished, nowMs)),
    {
      keys: [botKeys(bot.id).attempts],
      args: [
        failures.at(-1)?.error ?? '',
        failures.length === 0 ? '' : Math.min(...failures.map(({ at }) => Date.parse(at))),
        round.finished.some(({ outcome }) => outcome === 'ok') ? '1' : '0',
        onlyGone(attempts),
        ...attempts.map((attempt) => JSON.stringify(attempt)),
      ],
    },
  );
  if (step.outcome === 'lost') return step;
  const [moreToFile, hopeless, deliveredAtMs, resumed, opened] = step.named;
  return {
    outcome: 'ok',
    fencingToken: step.fencingToken,
    due: step.units.map(dueUpdate),
    nextDueMs: step.nextDueMs,
    moreToFile: moreToFile === 1,
    hopeless: hopeless === 1,
    resumed: resumed === 1,
    opened: opened === 1,
    deliveredAtMs: deliveredAtMs as number,
    ended: step.ended,
  };
}

/** '1' when every answer of this round was 410 Gone, '0' when there were others, '' when there was none. */
function onlyGone(attempts: Attempt[]): '' | '0' | '1' {
  if (attempts.length === 0) return '';
  return attempts.every(({ status }) => status === GONE) ? '1' : '0';
}

function settledBy(finished: Finished, nowMs: number): Settled {
  const { lane, unitId, outcome } = finished;
  const unit = { lane, unitId, members: 1 };
  switch (outcome) {
    case 'ok':
    case 'dropped':
      return { ...unit, outcome: 'ok' };
    case 'retry':
      return { ...unit, outcome: 'later', atMs: finished.record.nextTryAtMs, record: JSON.stringify(finished.record) };
    case 'dead':
      return { ...unit, outcome, failure: finished.failure };
    case 'threw':
      return { ...unit, outcome, atMs: nowMs };
    case 'release':
      return { ...unit, outcome };
  }
}

/** Push hands out single updates: only rules keep albums together. */
function dueUpdate({ lane, unitId, updates, record }: LaneUnit): DueUpdate {
  return { lane, unitId, ...updates[0]!, retry: record === '' ? null : (JSON.parse(record) as RetryRecord) };
}
