import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, shardOf } from '@flotilla/redis/keys.ts';
import { runScript, type ScriptReply } from '@flotilla/redis/scripts.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Bot } from '../bots/bot.ts';
import type { RetryRecord } from './delivery-schedule.ts';

export type PushDeps = { redis: RedisHandles; turns: { push: TurnQueue; history: TurnQueue }; clock: Clock };

/** An update handed out for sending. */
export type DueUpdate = {
  lane: string;
  /** How it is named in its lane: its id, or `r<dead letter id>` when it is sent again. */
  place: string;
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
export type Finished = { lane: string; place: string; attempt?: Attempt } & (
  | { outcome: 'ok' }
  /** A rule keeps it from the backend. */
  | { outcome: 'dropped' }
  | { outcome: 'retry'; record: RetryRecord }
  | { outcome: 'dead'; reason: string; attempts: number; lastStatus: number | null }
  /** Our own handling failed: begun again, until it has been begun too often. */
  | { outcome: 'threw' }
  /** Not sent after all: due again at once. */
  | { outcome: 'release' }
);

export type PushStep =
  | { outcome: 'lost' }
  | {
      outcome: 'ok';
      due: DueUpdate[];
      /** When (ms) to look again: the earliest lane's time, or a closed backend's next probe; null when none waits. */
      nextDueMs: number | null;
      moreToFile: boolean;
      /** The backend has answered nothing but 410 Gone for 23 hours. */
      hopeless: boolean;
    };

/** An update whose handling was begun this often and never ended is buried. */
const BEGUN_AT_MOST = 3;
const GONE = 410;

/** One round trip of a push turn: results in, new updates filed into lanes, due ones out. */
export async function pushStep(
  deps: PushDeps,
  bot: Bot,
  round: { epoch: number; finished: Finished[]; room: number; tidy: boolean },
): Promise<PushStep> {
  const keys = botKeys(bot.id);
  const failures = round.finished.flatMap(({ attempt }) => (attempt?.error === undefined ? [] : [attempt]));
  const reply = await runScript(
    deps.redis.commands,
    'push-step',
    [
      keys.state,
      keys.log,
      keys.lanes,
      keys.flight,
      keys.retries,
      keys.starts,
      keys.history,
      keys.dirty,
      keys.consumers,
      keys.redriven,
      keys.attempts,
    ],
    [
      bot.generation,
      round.epoch,
      deps.clock.nowMs(),
      bot.id,
      keys.lane(''),
      round.room,
      round.tidy ? '1' : '0',
      BEGUN_AT_MOST,
      failures.at(-1)?.error ?? '',
      failures.length === 0 ? '' : Math.min(...failures.map(({ at }) => Date.parse(at))),
      onlyGone(round.finished),
      ...round.finished.flatMap(resultArguments),
    ],
  );
  const [status, nextDue, moreToFile, wakeHistory, hopeless, ...due] = reply;
  if (status !== 'OK') return { outcome: 'lost' };
  if (wakeHistory === 1) await deps.turns.history.wake(shardOf(bot.id));
  const nextDueMs = nextDue === '' ? null : Number(nextDue);
  return {
    outcome: 'ok',
    due: due.map((entry) => dueUpdate(entry as ScriptReply)),
    nextDueMs,
    moreToFile: moreToFile === 1,
    hopeless: hopeless === 1,
  };
}

/** Takes the bot's work mark away; true when there is something to read after all. */
export async function endPushTurn(deps: PushDeps, bot: Bot): Promise<boolean> {
  const keys = botKeys(bot.id);
  const readable: unknown = await runScript(
    deps.redis.commands,
    'end-push-turn',
    [keys.dirty, keys.state, keys.log, keys.consumers, keys.lanes],
    [bot.id, deps.clock.nowMs()],
  );
  return readable === 1;
}

/** '1' when every answer of this round was 410 Gone, '0' when there were others, '' when there was none. */
function onlyGone(finished: Finished[]): '' | '0' | '1' {
  const statuses = finished.flatMap(({ attempt }) => (attempt ? [attempt.status] : []));
  if (statuses.length === 0) return '';
  return statuses.every((status) => status === GONE) ? '1' : '0';
}

function resultArguments(update: Finished): (string | number)[] {
  const { lane, place, outcome } = update;
  const attempt = update.attempt ? JSON.stringify(update.attempt) : '';
  switch (outcome) {
    case 'retry':
      return [lane, place, outcome, update.record.nextTryAtMs, JSON.stringify(update.record), '', '', '', attempt];
    case 'dead':
      return [lane, place, outcome, '', '', update.reason, update.attempts, update.lastStatus ?? '', attempt];
    default:
      return [lane, place, outcome, '', '', '', '', '', attempt];
  }
}

function dueUpdate(entry: ScriptReply): DueUpdate {
  const [lane, place, id, raw, kind, acceptedAtMs, expiresAtMs, retry, traceparent = null] = entry as [
    string,
    string,
    number,
    string,
    string,
    number,
    number,
    string,
    string | undefined,
  ];
  return {
    lane,
    place,
    id,
    raw,
    kind,
    acceptedAtMs,
    expiresAtMs,
    retry: retry === '' ? null : (JSON.parse(retry) as RetryRecord),
    traceparent,
  };
}
