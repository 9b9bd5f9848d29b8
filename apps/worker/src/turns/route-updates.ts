import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { routeUnit } from '@flotilla/domain/routing-rules/route-unit.ts';
import type { FinishedUnit, RoutingUnit } from '@flotilla/domain/routing-rules/rules-step.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import type { TurnLease } from '@flotilla/redis/turn-worker.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Span } from '@flotilla/runtime/tracing.ts';
import type { WorkerContext } from '../context.ts';

const PAUSE_MS = 1_000;

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
export async function routeUpdates(
  deps: WorkerContext,
  bot: Bot,
  unit: RoutingUnit,
  fencingToken: number,
  lease: TurnLease,
): Promise<FinishedUnit> {
  const span = beginSpan(deps, bot, unit);
  try {
    const ended = await routeUnit(deps, bot, unit, { fencingToken, held: lease.held, signal: lease.signal });
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
