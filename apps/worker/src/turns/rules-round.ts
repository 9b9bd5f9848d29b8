import { setTimeout as delay } from 'node:timers/promises';
import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { readRoutable, routeUnit } from '@flotilla/domain/routing-rules/route-unit.ts';
import {
  type FinishedUnit,
  type Looked,
  type RoutingUnit,
  rulesStep,
  type ShownUpdate,
} from '@flotilla/domain/routing-rules/rules-step.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import type { TurnLease } from '@flotilla/redis/turn-worker.ts';
import type { Span } from '@flotilla/runtime/tracing.ts';
import type { WorkerContext } from '../context.ts';

/** Why a round of routing ended; as that of deliveries. */
export type RulesRoundEnd =
  | { reason: 'drained'; nextDueMs: number | null }
  | { reason: 'share-used' }
  | { reason: 'lost' };

const SHARE_MS = 5_000;
/** Source chats of one bot that are routed at once; pacing, not this, is what limits sending. */
const LANES_AT_ONCE = 20;
const TIDY_EVERY_MS = 2_000;
/** While messages are being sent, what is new for other lanes is looked for this often. */
const LOOK_EVERY_MS = 200;
const PAUSE_MS = 1_000;
const CONFIGURATION_PAUSE_MS = 50;

/** Looks at what is new, hands out, sends and records until nothing is due, the share is used up, or ownership is lost. */
export async function rulesRound(
  deps: WorkerContext,
  given: Bot,
  epoch: number,
  lease: TurnLease,
): Promise<RulesRoundEnd> {
  let bot = given;
  const endsAtMs = deps.clock.nowMs() + SHARE_MS;
  const sendings = openSendings((unit, current) => route(deps, current, unit, epoch, lease));
  let tidiedAtMs = deps.clock.nowMs();
  let looked: Looked | null = null;
  while (true) {
    const winding = deps.clock.nowMs() > endsAtMs || !lease.held();
    const tidy = deps.clock.nowMs() - tidiedAtMs >= TIDY_EVERY_MS;
    if (tidy) tidiedAtMs = deps.clock.nowMs();
    const room = winding ? 0 : LANES_AT_ONCE - sendings.underWay();
    const step = await rulesStep(deps, bot, { epoch, finished: sendings.takeFinished(), looked, room, tidy });
    if (step.outcome === 'lost') return { reason: 'lost' };
    const current = await atLeast(deps, bot, step.revision);
    if (current === null) {
      sendings.release(step.due);
      looked = null;
      await delay(CONFIGURATION_PAUSE_MS);
    } else {
      bot = current;
      for (const unit of step.due) sendings.start(unit, bot);
      looked = look(bot, step.shown, step.shownUpTo);
    }
    if (sendings.hasFinished() || (looked !== null && !winding)) continue;
    if (sendings.underWay() > 0) {
      await sendings.news(LOOK_EVERY_MS);
    } else if (winding) {
      return { reason: 'share-used' };
    } else if (current !== null && (step.nextDueMs === null || step.nextDueMs > deps.clock.nowMs())) {
      return { reason: 'drained', nextDueMs: step.nextDueMs };
    }
  }
}

/** The units that are being sent. */
function openSendings(send: (unit: RoutingUnit, bot: Bot) => Promise<FinishedUnit>) {
  const underWay = new Set<Promise<void>>();
  let finished: FinishedUnit[] = [];
  return {
    start: (unit: RoutingUnit, bot: Bot) => {
      const sent: Promise<void> = send(unit, bot).then((ended) => {
        finished.push(ended);
        underWay.delete(sent);
      });
      underWay.add(sent);
    },
    release: (units: RoutingUnit[]) => {
      finished.push(...units.map((unit) => ({ unit, outcome: 'release' as const })));
    },
    underWay: () => underWay.size,
    hasFinished: () => finished.length > 0,
    takeFinished: () => {
      const taken = finished;
      finished = [];
      return taken;
    },
    /** Resolves when one ends, at the latest after this time. */
    news: (withinMs: number) => Promise.race([...underWay, delay(withinMs, undefined, { ref: false })]),
  };
}

/** The bot as it is configured now, null while this process has not heard of its newest configuration. */
async function atLeast(deps: WorkerContext, known: Bot, revision: number): Promise<Bot | null> {
  const newest = deps.directory.byId(known.id);
  if (newest && newest.revision >= revision) return newest;
  await deps.directory.refresh();
  const refreshed = deps.directory.byId(known.id);
  return refreshed && refreshed.revision >= revision ? refreshed : null;
}

/** What of the updates shown is to be routed; null when none were. */
function look(bot: Bot, shown: ShownUpdate[], shownUpTo: string | null): Looked | null {
  if (shownUpTo === null) return null;
  const filed = shown.flatMap((update) => {
    const routable = readRoutable(bot, update);
    return routable === null ? [] : [{ lane: update.lane, id: update.id, album: routable.album }];
  });
  return { upTo: shownUpTo, count: shown.length, filed };
}

/** Whether it was Postgres, Redis or the list of bots that could not be asked: no fault of the update. */
function isAway(error: unknown): boolean {
  if (error instanceof FlotillaError) return error.code === 'unavailable';
  return isUnavailable(error) || isRedisUnavailable(error);
}

/** An album goes on with the trace of its first message and is linked to those of the others. */
function beginSpan({ tracing }: WorkerContext, bot: Bot, unit: RoutingUnit): Span | null {
  const [parent, ...links] = unit.updates.flatMap(({ traceparent }) => traceparent ?? []);
  if (tracing === null || parent === undefined) return null;
  const attributes = { 'flotilla.bot_id': bot.id, 'flotilla.updates': unit.updates.length };
  return tracing.start('route update', { kind: 'client', parent, links, attributes });
}

/** Routes one unit. With Postgres or Redis away it waits; what throws otherwise is begun again, but not for ever. */
async function route(
  deps: WorkerContext,
  bot: Bot,
  unit: RoutingUnit,
  epoch: number,
  lease: TurnLease,
): Promise<FinishedUnit> {
  const span = beginSpan(deps, bot, unit);
  try {
    const ended = await routeUnit(deps, bot, unit, { epoch, held: lease.held, signal: lease.signal });
    deps.measure.routed[ended.outcome].inc();
    span?.set({ 'flotilla.outcome': ended.outcome });
    span?.end(ended.outcome === 'dead' ? 'failed' : 'ok');
    if (ended.outcome === 'ok') {
      const acceptedAtMs = unit.updates[0]?.acceptedAtMs ?? deps.clock.nowMs();
      deps.measure.routingLag.observe((deps.clock.nowMs() - acceptedAtMs) / 1000);
    }
    return ended;
  } catch (error) {
    span?.end('failed');
    deps.log.error({ bot: bot.id, unit: unit.id, err: error }, 'the routing of an update failed');
    const atMs = deps.clock.nowMs() + PAUSE_MS;
    if (isAway(error)) return { unit, outcome: 'later', atMs, record: unit.retry };
    return { unit, outcome: 'threw', atMs };
  }
}
