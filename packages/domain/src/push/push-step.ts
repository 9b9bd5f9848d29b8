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
  id: number;
  raw: string;
  kind: string;
  acceptedAtMs: number;
  expiresAtMs: number;
  retry: RetryRecord | null;
};

/** What became of an update that was handed out. */
export type Finished = { lane: string; id: number } & (
  | { outcome: 'ok' }
  | { outcome: 'retry'; record: RetryRecord }
  | { outcome: 'dead'; reason: string; attempts: number; lastStatus: number | null }
  /** Not sent after all: due again at once. */
  | { outcome: 'release' }
);

export type PushStep =
  | { outcome: 'lost' }
  | {
      outcome: 'ok';
      due: DueUpdate[];
      /** When (ms) the earliest lane is due; null when nothing is filed. Lanes in flight do not count. */
      nextDueMs: number | null;
      moreToFile: boolean;
    };

/** An update whose handling was begun this often and never ended is buried. */
const BEGUN_AT_MOST = 3;
const IN_FLIGHT_SCORE = 9e15;

/** One round trip of a push turn: results in, new updates filed into lanes, due ones out. */
export async function pushStep(
  deps: PushDeps,
  bot: Bot,
  round: { epoch: number; finished: Finished[]; room: number; tidy: boolean },
): Promise<PushStep> {
  const keys = botKeys(bot.id);
  const newestError = round.finished.findLast((update) => update.outcome === 'retry');
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
      newestError?.outcome === 'retry' ? newestError.record.lastError : '',
      ...round.finished.flatMap(resultArguments),
    ],
  );
  const [status, nextDue, moreToFile, wakeHistory, ...due] = reply;
  if (status !== 'OK') return { outcome: 'lost' };
  if (wakeHistory === 1) await deps.turns.history.wake(shardOf(bot.id));
  const nextDueMs = nextDue === '' || Number(nextDue) >= IN_FLIGHT_SCORE ? null : Number(nextDue);
  return {
    outcome: 'ok',
    due: due.map((entry) => dueUpdate(entry as ScriptReply)),
    nextDueMs,
    moreToFile: moreToFile === 1,
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

function resultArguments(update: Finished): (string | number)[] {
  const { lane, id, outcome } = update;
  switch (outcome) {
    case 'retry':
      return [lane, id, outcome, update.record.nextTryAtMs, JSON.stringify(update.record), '', '', ''];
    case 'dead':
      return [lane, id, outcome, '', '', update.reason, update.attempts, update.lastStatus ?? ''];
    default:
      return [lane, id, outcome, '', '', '', '', ''];
  }
}

function dueUpdate(entry: ScriptReply): DueUpdate {
  const [lane, id, raw, kind, acceptedAtMs, expiresAtMs, retry] = entry as [
    string,
    number,
    string,
    string,
    number,
    number,
    string,
  ];
  return {
    lane,
    id,
    raw,
    kind,
    acceptedAtMs,
    expiresAtMs,
    retry: retry === '' ? null : (JSON.parse(retry) as RetryRecord),
  };
}
