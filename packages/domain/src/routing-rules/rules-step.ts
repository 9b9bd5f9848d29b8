import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, shardOf } from '@flotilla/redis/keys.ts';
import { runScript, type ScriptReply } from '@flotilla/redis/scripts.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Bot } from '../bots/bot.ts';
import type { RouteLink } from '../history/route-link.ts';
import type { RetryRecord } from '../push/delivery-schedule.ts';
import type { DeliveryFailure } from '../update-log/delivery-failure.ts';
import { type LaneUnit, type Round, readerStep, type Settled } from '../update-log/reader-step.ts';
import type { RoutingProgress } from './destination.ts';

type StepDeps = { redis: RedisHandles; turns: { history: TurnQueue }; clock: Clock };

/** An update as the log shows it. */
export type ShownUpdate = { id: string; lane: string; kind: string; raw: string };

/** An update to be routed; `traceparent` is null when its intake was not traced. */
export type RoutableUpdate = {
  kind: string;
  raw: string;
  acceptedAtMs: number;
  expiresAtMs: number;
  traceparent: string | null;
};

/** Updates that are routed together: one, or the members of an album, oldest first. */
export type RoutingUnit = {
  lane: string;
  /** The first one's id in its lane. */
  id: string;
  updates: RoutableUpdate[];
  retry: RetryRecord | null;
  progress: RoutingProgress;
};

/** What became of a unit. */
export type FinishedUnit = { unit: RoutingUnit } & (
  | { outcome: 'ok' }
  /** To be gone on with: it waits for its pace (`record` as it was), or has failed (`record` counts it). */
  | { outcome: 'later'; atMs: number; record: RetryRecord | null }
  | { outcome: 'dead'; failure: DeliveryFailure }
  /** Its handling failed; as often as it may be begun it is begun again. */
  | { outcome: 'threw'; atMs: number }
  /** Not begun after all: due again at once. */
  | { outcome: 'release' }
);

/** What is to be routed of what was shown. */
export type Looked = { upTo: string; count: number; filed: { lane: string; id: string; album: string }[] };

export type RulesStep =
  | { outcome: 'lost' }
  | {
      outcome: 'ok';
      fencingToken: number;
      due: RoutingUnit[];
      shown: ShownUpdate[];
      /** Of the newest configuration: what is shown or due may have come after it. */
      revision: number;
      /** Up to where the log was shown; null when nothing was new. */
      shownUpTo: string | null;
      /** When (ms) the earliest lane is due; null when none waits. Lanes in flight do not count. */
      nextDueMs: number | null;
      /** Nothing is left, and the pending turn is taken away. */
      ended: boolean;
    };

/** The members of an album come one by one, within a moment. */
const ALBUM_GATHERED_MS = 1000;
const NO_NEWS = { upTo: '', count: 0, filed: [] };

/** One round trip of a rules turn: results in, what is to be routed filed into lanes, what is new and due out. */
export async function rulesStep(
  deps: StepDeps,
  bot: Bot,
  round: Round & { finished: FinishedUnit[]; looked: Looked | null },
): Promise<RulesStep> {
  const looked = round.looked ?? NO_NEWS;
  const step = await readerStep(deps, 'rules', bot, round, round.finished.map(settledBy), {
    keys: [],
    args: [
      ALBUM_GATHERED_MS,
      looked.upTo,
      looked.count,
      ...looked.filed.flatMap(({ lane, id, album }) => [lane, id, album]),
    ],
  });
  if (step.outcome === 'lost') return step;
  const [shownUpTo, revision, shown] = step.named;
  return {
    outcome: 'ok',
    fencingToken: step.fencingToken,
    due: step.units.map(routingUnit),
    shown: shownUpdates(shown as ScriptReply),
    revision: Number(revision),
    shownUpTo: shownUpTo === '' ? null : String(shownUpTo),
    nextDueMs: step.nextDueMs,
    ended: step.ended,
  };
}

/** Remembers how far a unit has come, and the links of what was sent. False when somebody else owns the bot's rules. */
export async function noteRouted(
  deps: StepDeps,
  bot: Bot,
  unit: RoutingUnit,
  noted: { fencingToken: number; links: RouteLink[] },
): Promise<boolean> {
  const keys = botKeys(bot.id);
  const [status, wakeHistory] = await runScript(
    deps.redis.commands,
    'note-routed',
    [keys.state, keys.rulesWork, keys.history, keys.pendingTurns],
    [
      bot.registrationId,
      noted.fencingToken,
      deps.clock.nowMs(),
      bot.id,
      unit.id,
      JSON.stringify(unit.progress),
      ...noted.links.map((link) => JSON.stringify(link)),
    ],
  );
  if (wakeHistory === 1) await deps.turns.history.wake(shardOf(bot.id));
  return status === 'OK';
}

function settledBy(finished: FinishedUnit): Settled {
  const { unit, outcome } = finished;
  const common = { lane: unit.lane, unitId: unit.id, members: unit.updates.length };
  switch (outcome) {
    case 'later':
      return {
        ...common,
        outcome,
        atMs: finished.atMs,
        record: finished.record === null ? '' : JSON.stringify(finished.record),
      };
    case 'threw':
      return { ...common, outcome, atMs: finished.atMs };
    case 'dead':
      return { ...common, outcome, failure: finished.failure };
    default:
      return { ...common, outcome };
  }
}

function shownUpdates(flat: ScriptReply): ShownUpdate[] {
  const shown: ShownUpdate[] = [];
  for (let at = 0; at < flat.length; at += 4) {
    const [id, lane, kind, raw] = flat.slice(at, at + 4).map(String);
    shown.push({ id: id as string, lane: lane as string, kind: kind as string, raw: raw as string });
  }
  return shown;
}

function routingUnit({ lane, unitId, updates, record, progress }: LaneUnit): RoutingUnit {
  return {
    lane,
    id: unitId,
    updates,
    retry: record === '' ? null : (JSON.parse(record) as RetryRecord),
    progress: progress === '' ? { to: {} } : (JSON.parse(progress) as RoutingProgress),
  };
}
