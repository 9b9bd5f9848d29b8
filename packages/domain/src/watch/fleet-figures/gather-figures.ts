import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@flotilla/database/connect.ts';
import { allowOnce } from '@flotilla/redis/allow-once.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, figureKeys, SHARDS, shardKeys } from '@flotilla/redis/keys.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { countDeadLetters } from '../../delivery/deliveries/count-dead-letters.ts';
import { readOutboxFigures } from '../../delivery/outbox/outbox-figures.ts';
import type { KnownFloods } from '../../fleet/bot-list/attention.ts';
import { botState } from '../../fleet/bot-list/bot-state.ts';
import { type BotStatus, readBotStatuses } from '../../fleet/bot-list/bot-status.ts';
import { type Bot, hasBackend, pushes, routes } from '../../fleet/bots/bot.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { EVERYTHING } from '../../people/accounts/scope.ts';
import { type WaitingSample, waitingSample } from '../../records/activity/note-waiting.ts';
import { readFleetRates } from '../../records/activity/read-fleet-rates.ts';
import { countAttention, deepen, type FleetFigures, type IntakeState, noFigures } from './fleet-figures.ts';

export type FigureDeps = {
  db: Database;
  redis: RedisHandles;
  directory: BotDirectory;
  clock: Clock;
  floods: KnownFloods;
  turns: Record<'push' | 'rules', Pick<TurnQueue, 'ensure'>>;
};
type Gathered = ReturnType<typeof noFigures>;

const EVERY_MS = 30_000;
export const RATES_OVER_MINUTES = 1;
/** Older figures say nothing about the present. */
const KEPT_MS = 90_000;
const BOTS_AT_ONCE = 200;
/** A pause between two portions, so that Redis and this process can serve others. */
const PAUSE_MS = 5;

/**
 * Walks over all bots and stores the figures in Redis. Every 30 s, one worker of the fleet does this. A bot for which updates wait gets a
 * turn if it has none: an outage may take a turn that sleeps until it tries again.
 */
export async function gatherFigures(deps: FigureDeps): Promise<void> {
  if (!(await allowOnce(deps.redis, figureKeys.turn, EVERY_MS - 1000))) return;
  const figures = noFigures(deps.clock.nowMs());
  const bots = deps.directory.all();
  const sample = await waitingSample(deps, figures.atMs);
  for (let from = 0; from < bots.length; from += BOTS_AT_ONCE) {
    await addBots(deps, figures, bots.slice(from, from + BOTS_AT_ONCE), sample);
    await delay(PAUSE_MS);
  }
  await sample?.noteFleet(figures.backlog.push.total + figures.backlog.pull.total);
  const [deadLetters, outbox, rates] = await Promise.all([
    countDeadLetters(deps, EVERYTHING),
    readOutboxFigures(deps),
    readFleetRates(deps, RATES_OVER_MINUTES),
    addHistory(deps, figures),
  ]);
  const gathered: FleetFigures = { ...figures, deadLetters, outbox, rates };
  await deps.redis.commands.set(figureKeys.newest, JSON.stringify(gathered), 'PX', KEPT_MS);
}

/** The newest figures of any worker; null when there are none from the last 90 s. */
export async function readFigures({ redis }: Pick<FigureDeps, 'redis'>): Promise<FleetFigures | null> {
  const found = await redis.commands.get(figureKeys.newest);
  return found === null ? null : (JSON.parse(found) as FleetFigures);
}

async function addBots(deps: FigureDeps, figures: Gathered, bots: Bot[], sample: WaitingSample | null): Promise<void> {
  const routing = bots.filter(routes);
  const [statuses, lengths, routed] = await Promise.all([
    readBotStatuses(deps, bots),
    deps.redis.runMany(bots.map((bot) => ['xlen', botKeys(bot.id).log])),
    deps.redis.runMany(routing.map((bot) => ['hmget', botKeys(bot.id).state, 'rulesUnread', 'rulesPending'])),
  ]);
  for (const [at, bot] of bots.entries()) {
    const status = statuses[at]!;
    figures.bots[intakeState(bot, status)] += 1;
    figures.states[botState(bot, status)] += 1;
    countAttention(figures.attention, status.attention);
    if (pushes(bot)) figures.backends[status.backendState] += 1;
    deepen(figures.log, Number(lengths[at]));
    const isPulled = bot.long_poll_enabled && !hasBackend(bot);
    deepen(figures.backlog[isPulled ? 'pull' : 'push'], status.pendingUpdateCount);
  }
  const waiting = bots.map(({ id: botId }, at) => ({ botId, count: statuses[at]!.pendingUpdateCount }));
  await sample?.noteBots(waiting.filter(({ count }) => count > 0));
  const ofRules = (routed as (string | null)[][]).map((counts) =>
    counts.reduce((sum, count) => sum + Number(count ?? 0), 0),
  );
  for (const count of ofRules) deepen(figures.backlog.rules, count);
  await deps.turns.push.ensure(bots.flatMap((bot, at) => (pushes(bot) && waiting[at]!.count > 0 ? [bot.id] : [])));
  await deps.turns.rules.ensure(routing.flatMap(({ id }, at) => (ofRules[at]! > 0 ? [id] : [])));
}

function intakeState(bot: Bot, status: BotStatus): IntakeState {
  if (bot.disabled) return 'disabled';
  if (bot.webhook_mode) return status.running ? 'pushed' : 'webhook_failing';
  return status.running ? 'polled' : 'polling_failing';
}

async function addHistory({ redis }: FigureDeps, figures: Gathered): Promise<void> {
  const streams = Array.from({ length: SHARDS }, (_, shard) => shardKeys(shard).history);
  const [lengths, first] = await Promise.all([
    redis.runMany(streams.map((stream) => ['xlen', stream])),
    redis.runMany(streams.map((stream) => ['xrange', stream, '-', '+', 'COUNT', 1])),
  ]);
  for (const length of lengths) deepen(figures.history, Number(length));
  const times = (first as [id: string, fields: string[]][][]).flatMap(([entry]) =>
    entry === undefined ? [] : [Number.parseInt(entry[0], 10)],
  );
  if (times.length > 0) figures.history.oldestAtMs = Math.min(...times);
}
