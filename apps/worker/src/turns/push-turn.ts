import type { Actor } from '@flotilla/domain/audit/actor.ts';
import { parseBackendUrl } from '@flotilla/domain/bots/backend-address.ts';
import { type Bot, pushes } from '@flotilla/domain/bots/bot.ts';
import { clearBackend } from '@flotilla/domain/bots/clear-backend.ts';
import { type DueUpdate, type Finished, pushStep } from '@flotilla/domain/push/push-step.ts';
import { resumeBackend } from '@flotilla/domain/push/resume-backend.ts';
import type { TurnLease, TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import type { WorkerContext } from '../context.ts';
import { botForTurn } from './bot-for-turn.ts';
import { deliverUpdate } from './deliver-update.ts';
import { readerTurn, type TurnReader } from './reader-turn.ts';
import { underWay } from './under-way.ts';

const LOOK_EVERY_MS = 5_000;
/** A bot whose last update was delivered this recently may get the next one soon. */
const LIVELY_MS = 1_000;
/** Waiting a while for the next update of a lively bot is far cheaper than ending this turn and beginning another. */
const LINGER_MS = 500;
/** A worker that stops has to be gone within 25 s: a backend that takes longer than this is asked again by another. */
const STOPPED_PATIENCE_MS = 6000;

/** Who takes the backend away, by its answers. */
const ITS_PROGRAM: Actor = { kind: 'bot', address: null };
const GONE = 'the backend answered nothing but 410 Gone for 23 hours';

/** Delivers one bot's updates to its backend, lane by lane, for a while; then the next bot has its turn. */
export async function pushTurn(deps: WorkerContext, botId: number, lease: TurnLease): Promise<TurnOutcome> {
  const bot = await botForTurn(deps, botId, pushes);
  if (!bot) return { next: 'idle' };
  const push = openPush(deps, bot, lease);
  try {
    return await readerTurn(deps, push, lease);
  } finally {
    push.close();
  }
}

function openPush(deps: WorkerContext, given: Bot, lease: TurnLease): TurnReader & { close(): void } {
  const deliveries = underWay<Finished>();
  const cancel = new AbortController();
  const appended = deps.pushable.listen(given.id);
  appended.onWake(deliveries.tell);
  let patience: NodeJS.Timeout | undefined;
  const windDown = () => {
    patience = setTimeout(() => cancel.abort(), STOPPED_PATIENCE_MS);
    deliveries.tell();
  };
  lease.signal.addEventListener('abort', windDown, { once: true });
  let bot = given;
  let origin = originOf(bot);
  let lively = false;
  let handedOut = 0;

  return {
    underWay: deliveries,
    lookEveryMs: LOOK_EVERY_MS,
    room: () => deps.requestLimiter.offer(bot.maxConnections - deliveries.count(), origin),
    step: async (round) => {
      const newest = newestOf(deps, bot);
      if (newest !== bot) [bot, origin] = [newest, originOf(newest)];
      const finished = deliveries.takeEnded();
      const step = await pushStep(deps, bot, { ...round, finished });
      if (step.outcome === 'lost') return step;
      for (const update of step.due) deliveries.start(deliver(deps, bot, update, origin, lease, cancel.signal));
      if (step.hopeless) await clearBackend(deps, ITS_PROGRAM, bot, { dropPending: false, reason: GONE });
      if (step.opened) logOpened(deps, bot, finished);
      if (step.resumed) await resumeOthers(deps, bot);
      if (step.due.length > 0) handedOut += 1;
      lively ||= handedOut > 1 || (round.fencingToken === null && deps.clock.nowMs() - step.deliveredAtMs < LIVELY_MS);
      const { fencingToken, nextDueMs, ended, due } = step;
      const more = step.moreToFile && round.room > due.length;
      return { outcome: 'ok', fencingToken, nextDueMs, ended, taken: due.length, more };
    },
    lingers: () => lively && deps.awaitingTurns.offer(1) > 0,
    linger: async () => {
      deps.awaitingTurns.take();
      await deliveries.news(LINGER_MS);
      deps.awaitingTurns.giveBack();
    },
    breakOff: () => cancel.abort(),
    close: () => {
      // Nothing, but when a round failed: what is under way then is handed out again.
      cancel.abort();
      appended.stop();
      lease.signal.removeEventListener('abort', windDown);
      clearTimeout(patience);
    },
  };
}

/** What keeps it from the others keeps nothing from this bot: they have probes of their own. */
async function resumeOthers(deps: WorkerContext, bot: Bot): Promise<void> {
  logClosed(deps, bot);
  try {
    for (const other of await resumeBackend(deps, bot)) logClosed(deps, other);
  } catch (error) {
    deps.log.warn({ bot: bot.id, reason: String(error) }, 'the other bots of a backend wait for their own probes');
  }
}

function logOpened({ log }: WorkerContext, bot: Bot, finished: Finished[]): void {
  const reason = finished.flatMap(({ attempt }) => attempt?.error ?? []).at(-1);
  log.warn({ bot: bot.id, backend: originOf(bot), reason }, 'the breaker opened: the backend gets one probe at a time');
}

function logClosed({ log }: WorkerContext, bot: Bot): void {
  log.info({ bot: bot.id, backend: originOf(bot) }, 'the breaker closed: updates flow to the backend again');
}

/** One host with many bots must not hold all requests of a worker. */
function originOf(bot: Bot): string {
  return parseBackendUrl(bot.backendUrl)?.origin ?? '';
}

/** The configuration may change while the turn runs; what is sent from then on goes where it says. */
function newestOf(deps: WorkerContext, bot: Bot): Bot {
  const newest = deps.directory.ready() ? deps.directory.byId(bot.id) : undefined;
  return newest && pushes(newest) ? newest : bot;
}

async function deliver(
  deps: WorkerContext,
  bot: Bot,
  update: DueUpdate,
  origin: string,
  lease: TurnLease,
  cancel: AbortSignal,
): Promise<Finished> {
  deps.requestLimiter.take(origin);
  try {
    return await deliverUpdate(deps, bot, update, lease, cancel);
  } catch (error) {
    deps.log.error({ bot: bot.id, update: update.id, err: error }, 'the handling of an update failed');
    return { lane: update.lane, unitId: update.unitId, outcome: 'threw' };
  } finally {
    deps.requestLimiter.giveBack(origin);
  }
}
