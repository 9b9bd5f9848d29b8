import { botKeys } from '@flotilla/redis/keys.ts';
import type { TurnLease, TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Span, Tracing } from '@flotilla/runtime/tracing.ts';
import type { PollingClient } from '@flotilla/telegram/polling-client.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { polls } from '../../fleet/bots/bot.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { botForTurn } from '../../fleet/bots/bot-for-turn.ts';
import { noteForeignWebhook } from '../../fleet/bots/foreign-webhook.ts';
import { askedKinds } from '../../fleet/bots/named-kinds.ts';
import { NOW, patchBotState } from '../../fleet/bots/patch-bot-state.ts';
import { removeOurWebhook, type WebhookDeps } from '../../fleet/bots/platform-webhook.ts';
import { stopsIntake, type Waiting } from '../../fleet/memory/memory-pressure.ts';
import type { MemoryWatch } from '../../fleet/memory/watch-memory.ts';
import { type AcceptDeps, acceptUpdates } from '../intake/accept-updates.ts';
import { beginPolling } from '../intake/begin-polling.ts';
import { askForUpdates, type FailedPoll } from './ask-for-updates.ts';
import { nextTryInMs } from './next-try.ts';
import { clearRefusal, noteRefusal } from './note-refusal.ts';

/** How bots share the getUpdates that may be open at once. */
export type PollPace = {
  /**
   * How long (s) one getUpdates may wait. It is shorter when there are more bots than open requests, so that each bot
   * has a turn within 30 s.
   */
  timeoutS: () => number;
  /** How long (ms) a bot's turn lasts: one full getUpdates, and some more while no other bot waits for its turn. */
  turnMs: () => number;
  /** How long (ms) a bot with stopped intake pauses. */
  pauseMs: () => number;
};

export type PollingDeps = AcceptDeps &
  WebhookDeps & {
    clock: Clock;
    directory: BotDirectory;
    log: Logger;
    pollingClient: PollingClient;
    memory: MemoryWatch;
    /** Null when tracing is off. */
    tracing: Tracing | null;
    measure: MeasurePolling;
    pace: PollPace;
  };

type MeasurePolling = Record<'accepted' | 'duplicates' | 'pollFailures', { inc(by?: number): void }>;
/** Times are of this process's clock. */
type PollState = {
  fencingToken: number;
  offset: number;
  polledAtMs: number;
  waiting: Waiting;
  refusedSinceMs: number | null;
};

const TURN_UPDATES = 2_000;
/** After a refusal, or this long without a successful poll, a poll is brief: the bot soon shows as running. */
const UNHEARD_MS = 60_000;
/** How long a changed configuration may take from Redis to this process. */
const CHANGED_PAUSE_MS = 200;
/** A switch to webhook mode is told to the platform first, so one or two conflicts are normal. */
const CONFLICTS_BEFORE_CHECK = 3;
/** Not 0: the same offset would come again within 0.5 s, and the platform would then answer one update only. */
const BRIEF_TIMEOUT_S = 1;

/** Asks the platform for one bot's updates and accepts them, for a while; then the next bot has its turn. */
export async function pollingTurn(deps: PollingDeps, botId: number, lease: TurnLease): Promise<TurnOutcome> {
  const bot = await botForTurn(deps, botId, polls);
  if (!bot) return { next: 'idle' };
  const changed = abortOnChange(deps, bot);
  try {
    const owner = await beginPolling(deps, bot);
    if (owner.outcome !== 'owner') return { next: 'idle' };
    const signal = AbortSignal.any([lease.signal, changed.signal]);
    const nowMs = deps.clock.nowMs();
    const { polledAgoMs, refusedForMs } = owner;
    return await pollUntilTurnEnds(
      deps,
      bot,
      {
        fencingToken: owner.fencingToken,
        offset: owner.pollOffset,
        polledAtMs: polledAgoMs === null ? Number.NEGATIVE_INFINITY : nowMs - polledAgoMs,
        waiting: owner.waiting,
        refusedSinceMs: refusedForMs === null ? null : nowMs - refusedForMs,
      },
      { ...lease, signal },
    );
  } finally {
    changed.stop();
  }
}

async function pollUntilTurnEnds(
  deps: PollingDeps,
  bot: Bot,
  polled: PollState,
  lease: TurnLease,
): Promise<TurnOutcome> {
  const begunAtMs = deps.clock.nowMs();
  const leftMs = () => begunAtMs + deps.pace.turnMs() - deps.clock.nowMs();
  let taken = 0;
  while (!lease.signal.aborted && taken < TURN_UPDATES && leftMs() > 0) {
    if (stopsIntake(deps.memory.pressure(), polled.waiting)) return pauseIntake(deps, bot);
    const unheard = deps.clock.nowMs() - polled.polledAtMs > UNHEARD_MS;
    const timeoutS = unheard || polled.refusedSinceMs !== null ? BRIEF_TIMEOUT_S : untilTurnEndsS(deps, leftMs());
    const askedAtMs = deps.clock.nowMs();
    const asked = await askForUpdates(deps, bot, { offset: polled.offset, timeoutS, signal: lease.signal });
    if (asked.outcome === 'aborted' || !lease.ownsTurn()) break;
    if (asked.outcome === 'failed') return pauseAfterFailure(deps, bot, asked);
    const span = asked.updates.length === 0 ? null : beginSpan(deps, bot, askedAtMs);
    const accepted = await acceptUpdates(
      deps,
      bot,
      asked.updates,
      { fencingToken: polled.fencingToken, pollOffset: asked.pollOffset },
      span,
    ).finally(() => span?.end());
    switch (accepted.outcome) {
      case 'accepted':
        polled.offset = asked.pollOffset ?? polled.offset;
        polled.polledAtMs = deps.clock.nowMs();
        if (polled.refusedSinceMs !== null) await clearRefusal(deps, bot, polled.refusedSinceMs);
        polled.refusedSinceMs = null;
        taken += asked.updates.length;
        deps.measure.accepted.inc(accepted.appended);
        deps.measure.duplicates.inc(accepted.duplicates);
        break;
      case 'full':
        return pauseIntake(deps, bot);
      case 'gone':
      case 'disabled':
      case 'fenced':
        return { next: 'idle' };
    }
  }
  return { next: 'again' };
}

/** A getUpdates must not outlast the turn: while bots wait for a turn, each gets the time of one full getUpdates. */
function untilTurnEndsS({ pace }: PollingDeps, leftMs: number): number {
  return Math.max(BRIEF_TIMEOUT_S, Math.min(pace.timeoutS(), Math.ceil(leftMs / 1000)));
}

/** The span begins with the getUpdates. A poll without updates gets no span. */
function beginSpan({ tracing }: PollingDeps, bot: Bot, askedAtMs: number): Span | null {
  const attributes = { 'flotilla.bot_id': bot.id };
  const span = tracing?.start('poll platform', { kind: 'consumer', startedAtMs: askedAtMs, attributes }) ?? null;
  span?.child('getUpdates', { kind: 'client', startedAtMs: askedAtMs }).end();
  return span;
}

/** Asks for nothing until there is room; meanwhile the platform keeps the updates. */
async function pauseIntake(deps: PollingDeps, bot: Bot): Promise<TurnOutcome> {
  const nowMs = deps.clock.nowMs();
  const cause = deps.memory.pressure() === 'relaxed' ? 'The backlog is full' : 'Redis is short of memory';
  // A pause is no failure: the count of failures in a row begins again.
  const pollErr = `${cause}; the platform keeps the rest`;
  await patchBotState(deps, bot, { pollErr, pollErrAt: NOW, pollTries: 0, intakePausedAt: NOW });
  return { next: 'at', atMs: nowMs + deps.pace.pauseMs() };
}

async function pauseAfterFailure(deps: PollingDeps, bot: Bot, failed: FailedPoll): Promise<TurnOutcome> {
  const nowMs = deps.clock.nowMs();
  deps.measure.pollFailures.inc();
  const { state } = botKeys(bot.id);
  const fields = ['pollTries', 'pollErrAt', 'pollOkAt', 'refusedAt', 'revision'];
  const [failures, failedAt, okAt, refusedAt, revision] = await deps.redis.commands.hmget(state, ...fields);
  // The platform may have refused the old token, while the new configuration is on its way to this process.
  if (Number(revision) > bot.revision) return { next: 'at', atMs: nowMs + CHANGED_PAUSE_MS };
  const inARow = Number(okAt ?? 0) > Number(failedAt ?? 0) ? 1 : Number(failures ?? 0) + 1;
  if (failed.isConflict && inARow >= CONFLICTS_BEFORE_CHECK && (await isOurWebhookRemoved(deps, bot)))
    return { next: 'again' };
  await patchBotState(deps, bot, { pollErr: failed.reason, pollErrAt: NOW, pollTries: inARow });
  const wasRefused = Number(refusedAt ?? 0) > 0;
  if (failed.pause === 'long' && !wasRefused) await noteRefusal(deps, bot, failed.reason);
  return { next: 'at', atMs: nowMs + nextTryInMs(inARow, failed, wasRefused) };
}

/** Our webhook can be left behind if a process sets it just before a switch to polling, or dies in between. */
async function isOurWebhookRemoved(deps: PollingDeps, bot: Bot): Promise<boolean> {
  try {
    const found = await removeOurWebhook(deps, bot);
    switch (found.outcome) {
      case 'removed':
        deps.log.warn({ bot: bot.id }, 'our webhook was still set at the platform; it was removed');
        return true;
      case 'foreign':
        await noteForeignWebhook(deps, bot, found.host);
        return false;
      case 'none':
        return false;
    }
  } catch (error) {
    deps.log.warn({ bot: bot.id, reason: String(error) }, 'the webhook at the platform could not be checked');
    return false;
  }
}

/** A bot that was changed must not be polled with its old token or kinds or where it was, nor at all once it is disabled or gone. */
function abortOnChange(deps: PollingDeps, bot: Bot): { signal: AbortSignal; stop(): void } {
  const changed = new AbortController();
  const asked = askedKinds(deps, bot).join();
  const stop = deps.directory.onChange((botId) => {
    if (botId !== bot.id) return;
    const now = deps.directory.ready() ? deps.directory.byId(botId) : bot;
    const asksForOthers = now && askedKinds(deps, now).join() !== asked;
    if (!now || !polls(now) || now.token !== bot.token || now.moves !== bot.moves || asksForOthers)
      changed.abort(new Error('the bot was changed'));
  });
  return { signal: changed.signal, stop };
}
