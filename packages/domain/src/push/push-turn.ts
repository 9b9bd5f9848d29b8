import type { ChannelWaiters } from '@flotilla/redis/channel-waiters.ts';
import type { TurnLease, TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Actor } from '../audit/actor.ts';
import { parseBackendUrl } from '../bots/backend-address.ts';
import { type Bot, pushes } from '../bots/bot.ts';
import type { BotDeps } from '../bots/bot-deps.ts';
import type { BotDirectory } from '../bots/bot-directory.ts';
import { botForTurn } from '../bots/bot-for-turn.ts';
import { clearBackend } from '../bots/clear-backend.ts';
import { type LaneReader, runTurn } from '../lanes/run-turn.ts';
import type { SharedLimiter } from '../lanes/shared-limiter.ts';
import { claimForPush, type PushClaim, type PushDeps, type SettledUpdate } from './claim-for-push.ts';
import { type DeliverDeps, deliverUpdate } from './deliver-update.ts';
import { resumeBackend } from './resume-backend.ts';

export type PushTurnDeps = PushDeps &
  DeliverDeps &
  BotDeps & {
    directory: BotDirectory;
    /** Tells a running turn about new updates. */
    pushable: ChannelWaiters;
    /** Limits requests to backends, over all turns of this process. */
    requestLimiter: SharedLimiter;
    awaitingTurns: SharedLimiter;
    log: Logger;
  };

const LOOK_EVERY_MS = 5_000;
/** A bot with a delivery this recently may get its next update soon. */
const LIVELY_MS = 1_000;

/** The actor in the audit log when 410 answers remove the backend. */
const ITS_PROGRAM: Actor = { kind: 'bot', address: null };
const GONE = 'the backend answered nothing but 410 Gone for 23 hours';

/** Delivers one bot's updates to its backend, lane by lane, for a while; then the next bot has its turn. */
export async function pushTurn(deps: PushTurnDeps, botId: number, lease: TurnLease): Promise<TurnOutcome> {
  const bot = await botForTurn(deps, botId, pushes);
  if (!bot) return { next: 'idle' };
  const appended = deps.pushable.listen(bot.id);
  try {
    return await runTurn(deps, pushReader(deps, bot), lease, appended);
  } finally {
    appended.stop();
  }
}

function pushReader(deps: PushTurnDeps, given: Bot): LaneReader<SettledUpdate> {
  let bot = given;
  let origin = originOf(bot);
  let lively = false;
  let claims = 0;
  return {
    lookEveryMs: LOOK_EVERY_MS,
    isLively: () => lively,
    room: (inFlight) => deps.requestLimiter.offer(bot.maxConnections - inFlight, origin),
    isStuck: () => deps.requestLimiter.isStuck(origin),
    claim: async (request, settled) => {
      const newest = newestOf(deps, bot);
      if (newest !== bot) [bot, origin] = [newest, originOf(newest)];
      const claim = await claimForPush(deps, bot, request, settled);
      if (claim.outcome === 'lost') return claim;
      if (claim.units.length > 0) claims += 1;
      const begins = request.fencingToken === null;
      lively ||= claims > 1 || (begins && deps.clock.nowMs() - claim.deliveredAtMs < LIVELY_MS);
      const more = claim.moreToFile && request.limit > claim.units.length;
      return { ...claim, more, afterwards: () => followUp(deps, bot, claim, settled) };
    },
    handle: async (unit, turn) => {
      const [to, at] = [bot, origin];
      // Thousands of turns may have been offered the same room while they claimed.
      if (!deps.requestLimiter.tryTake(at)) return { unit, outcome: 'returned' };
      try {
        return await deliverUpdate(deps, to, unit, turn);
      } catch (error) {
        deps.log.error({ bot: to.id, update: unit.updates[0].id, err: error }, 'the handling of an update failed');
        return { unit, outcome: 'crashed', atMs: deps.clock.nowMs() };
      } finally {
        deps.requestLimiter.giveBack(at);
      }
    },
  };
}

/** Applies what the backend's answers mean for the bot, and for other bots with the same backend. */
async function followUp(
  deps: PushTurnDeps,
  bot: Bot,
  claim: Extract<PushClaim, { outcome: 'claimed' }>,
  settled: SettledUpdate[],
): Promise<void> {
  if (claim.hopeless) await clearBackend(deps, ITS_PROGRAM, bot, { dropPending: false, reason: GONE });
  if (claim.breakerOpened) logOpened(deps, bot, settled);
  if (claim.breakerClosed) await resumeOthers(deps, bot);
}

/** A failure here must not fail this bot's turn: the other bots have probes of their own. */
async function resumeOthers(deps: PushTurnDeps, bot: Bot): Promise<void> {
  logClosed(deps, bot);
  try {
    for (const other of await resumeBackend(deps, bot)) logClosed(deps, other);
  } catch (error) {
    deps.log.warn(
      { bot: bot.id, reason: String(error) },
      'other bots of this backend could not be woken: they wait for their own probes',
    );
  }
}

function logOpened({ log }: PushTurnDeps, bot: Bot, settled: SettledUpdate[]): void {
  const reason = settled.flatMap(({ attempt }) => attempt?.error ?? []).at(-1);
  log.warn({ bot: bot.id, backend: originOf(bot), reason }, 'the breaker opened: the backend gets one probe at a time');
}

function logClosed({ log }: PushTurnDeps, bot: Bot): void {
  log.info({ bot: bot.id, backend: originOf(bot) }, 'the breaker closed: updates flow to the backend again');
}

/** Requests are limited by origin, because one host with many bots must not take all requests of a worker. */
function originOf(bot: Bot): string {
  return parseBackendUrl(bot.backendUrl)?.origin ?? '';
}

/** The configuration may change while the turn runs. Later requests follow the new one. */
function newestOf({ directory }: PushTurnDeps, bot: Bot): Bot {
  const newest = directory.ready() ? directory.byId(bot.id) : undefined;
  return newest && pushes(newest) ? newest : bot;
}
