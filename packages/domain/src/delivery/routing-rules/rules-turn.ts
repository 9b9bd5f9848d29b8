import { setTimeout as delay } from 'node:timers/promises';
import type { ChannelWaiters } from '@flotilla/redis/channel-waiters.ts';
import type { TurnLease, TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import type { Span, Tracing } from '@flotilla/runtime/tracing.ts';
import { type Bot, routes } from '../../fleet/bots/bot.ts';
import { botForTurn } from '../../fleet/bots/bot-for-turn.ts';
import type { ClaimedUnit, Outcome, SettledUnit } from '../lanes/claimed-unit.ts';
import { FAILED_PAUSE_MS, isStoreAway } from '../lanes/is-store-away.ts';
import { type HandlingTurn, type LaneReader, runTurn } from '../lanes/run-turn.ts';
import type { Router } from '../router/router.ts';
import { claimForRules, type Matched, type ShownUpdate } from './claim-for-rules.ts';
import type { Routed } from './count-hits.ts';
import { readRoutable, routeUnit, type UnitDeps } from './route-unit.ts';
import type { RoutingDeps } from './routing-deps.ts';

export type RulesTurnDeps = RoutingDeps & {
  /** Tells a running turn about new updates. */
  turnNews: ChannelWaiters;
  /** Null when tracing is off. */
  tracing: Tracing | null;
  measure: MeasureRouting;
};

export type MeasureRouting = {
  /** A unit was handled; `tookMs` counts from its acceptance. */
  routed(outcome: Outcome['outcome'], tookMs: number): void;
};

/** How many source chats of a bot are routed at once. The pace limits sending, not this number. */
const LANES_AT_ONCE = 20;
/** When a chat asks the router again that had no room; then one after the other, as many have none when the model is slow. */
const ASK_AGAIN_AFTER_MS = 1_000;
const ASK_AGAIN_APART_MS = 10;
const LOOK_EVERY_MS = 200;
const CONFIGURATION_PAUSE_MS = 50;

/** Routes one bot's messages, lane by lane, for a while; then the next bot has its turn. */
export async function rulesTurn(deps: RulesTurnDeps, botId: number, lease: TurnLease): Promise<TurnOutcome> {
  const bot = await botForTurn(deps, botId, (known) => routes(known) && !known.disabled);
  if (!bot) return { next: 'idle' };
  const news = deps.turnNews.listen(bot.id, 'rules');
  try {
    return await runTurn(deps, rulesReader(deps, bot), lease, news);
  } finally {
    news.stop();
  }
}

function rulesReader(deps: RulesTurnDeps, given: Bot): LaneReader<SettledUnit> {
  let bot = given;
  let isCurrent = true;
  let matched: Matched | null = null;
  const warnOfWaiting = throttledLog((details: object, leftOut) =>
    deps.log.warn({ ...details, leftOut }, 'an update waits for a store'),
  );
  let asking = 0;
  const router: Router = {
    ...deps.router,
    begin: (...about) => {
      const begun = deps.router.begin(...about);
      if (begun === null) return null;
      asking += 1;
      return {
        ...begun,
        end: () => {
          asking -= 1;
          begun.end();
        },
      };
    },
  };
  let lastAskAgainMs = 0;
  const askAgainAtMs = () => {
    lastAskAgainMs = Math.max(deps.clock.nowMs() + ASK_AGAIN_AFTER_MS, lastAskAgainMs + ASK_AGAIN_APART_MS);
    return lastAskAgainMs;
  };
  const routing = { ...deps, router, askAgainAtMs, warnOfWaiting };
  return {
    lookEveryMs: LOOK_EVERY_MS,
    // Lanes that wait for the model hold no room of the others.
    room: (inFlight) => LANES_AT_ONCE + asking - inFlight,
    isStuck: () => false,
    claim: async (request, settled) => {
      const claim = await claimForRules(deps, bot, request, settled, matched);
      if (claim.outcome === 'lost') return claim;
      const current = await atLeast(deps, bot, claim.revision);
      isCurrent = current !== null;
      if (current === null) {
        matched = null;
        await delay(CONFIGURATION_PAUSE_MS);
        return { ...claim, more: true };
      }
      bot = current;
      matched = selectRoutable(bot, claim.shown, claim.shownUpTo);
      return { ...claim, more: matched !== null };
    },
    handle: async (unit, turn) => (isCurrent ? route(routing, bot, unit, turn) : { unit, outcome: 'returned' }),
  };
}

/** The bot with at least this revision of its configuration; null while this process does not have it. */
async function atLeast({ directory }: RulesTurnDeps, known: Bot, revision: number): Promise<Bot | null> {
  const newest = () => (directory.ready() ? directory.byId(known.id) : undefined);
  let found = newest();
  if (found === undefined || found.revision < revision) {
    await directory.refresh().catch(() => undefined);
    found = newest();
  }
  return found !== undefined && found.revision >= revision ? found : null;
}

/** Which of the shown updates are to be routed; null when the log had nothing new. */
function selectRoutable(bot: Bot, shown: ShownUpdate[], shownUpTo: number | null): Matched | null {
  if (shownUpTo === null) return null;
  const filed = shown.flatMap((update) => {
    const routable = readRoutable(bot, update);
    return routable === null ? [] : [{ id: update.id, ...routable }];
  });
  return { upTo: shownUpTo, count: shown.length, filed };
}

type RouteDeps = RulesTurnDeps & UnitDeps & { warnOfWaiting(details: object): void };

/** Without Postgres or Redis a unit waits. After any other error it is begun again, three times at most. */
async function route(deps: RouteDeps, bot: Bot, unit: ClaimedUnit, turn: HandlingTurn): Promise<SettledUnit> {
  const span = beginSpan(deps, bot, unit);
  const measured = (outcome: Routed): SettledUnit => {
    deps.measure.routed(outcome.outcome, deps.clock.nowMs() - unit.updates[0].acceptedAtMs);
    return { unit, ...outcome };
  };
  try {
    const outcome = await routeUnit(deps, bot, unit, turn);
    span?.set({ 'flotilla.outcome': outcome.outcome });
    span?.end(outcome.outcome === 'dead' ? 'failed' : 'ok');
    return measured(outcome);
  } catch (error) {
    span?.end('failed');
    const names = { bot: bot.id, unit: unit.unitId };
    const atMs = deps.clock.nowMs() + FAILED_PAUSE_MS;
    if (isStoreAway(error)) {
      deps.warnOfWaiting({ ...names, reason: String(error) });
      return measured({ outcome: 'waits', atMs });
    }
    deps.log.error({ ...names, err: error }, 'the routing of an update failed');
    return measured({ outcome: 'crashed', atMs });
  }
}

/** The span of an album continues the trace of its first message and links to those of the others. */
function beginSpan({ tracing }: RulesTurnDeps, bot: Bot, unit: ClaimedUnit): Span | null {
  const [parent, ...links] = unit.updates.flatMap(({ traceparent }) => traceparent ?? []);
  if (tracing === null || parent === undefined) return null;
  const attributes = { 'flotilla.bot_id': bot.id, 'flotilla.updates': unit.updates.length };
  return tracing.start('route update', { kind: 'client', parent, links, attributes });
}
