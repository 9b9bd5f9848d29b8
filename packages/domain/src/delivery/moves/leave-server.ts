import { setTimeout as delay } from 'node:timers/promises';
import { fateOf } from '@flotilla/telegram/call-fate.ts';
import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { botStore } from '../../fleet/bots/bot-store.ts';
import { stopsIntake } from '../../fleet/memory/memory-pressure.ts';
import { saysLoggedOut } from '../../fleet/upstreams/logged-out.ts';
import { serverWords } from '../../fleet/upstreams/server-words.ts';
import { type AcceptDeps, acceptUpdates } from '../intake/accept-updates.ts';
import { beginPolling } from '../intake/begin-polling.ts';
import { type AskedFor, askForUpdates } from '../polling/ask-for-updates.ts';
import type { StepDeps } from './move-deps.ts';
import { failureAt, isLoggedOut, isTokenRefused } from './server-answers.ts';

type LeaveDeps = AcceptDeps & Pick<StepDeps, 'db' | 'duringMoves' | 'extraKinds' | 'log' | 'pollingClient' | 'signal'>;

export type Leaving =
  | { outcome: 'left' }
  /** The move was cancelled, is another worker's, or this process stops. */
  | { outcome: 'lost' }
  /** Not logged out now. `isHere`: the server has just shown that it has the bot. */
  | { outcome: 'no-room'; reason: string; isHere: boolean }
  /** The server does not know its token any more. */
  | { outcome: 'refused'; reason: string }
  /** `stays`: the server surely did not log it out now. */
  | { outcome: 'failed'; reason: string; stays: boolean };

/** Asks if the move is still this worker's, and notes that the bot is logged out from now on. */
type MayLeave = () => Promise<boolean>;

/** Once nothing has come for so long, the bot is logged out. For a busy bot it becomes shorter, and in the end nothing is waited for. */
const QUIET_MS = { first: 200, least: 10, halvedEveryMs: 3_000, endsAfterMs: 30_000 };
/** A poll that is open now must outlast the logOut and the wait for its own answer. */
const HELD_POLL_S = 25;
const LOG_OUT_MS = 15_000;
/** The server answers the poll that is open when the bot is logged out. */
const LAST_ANSWER_MS = 5_000;
/** Nobody else has the last updates, so they are tried for as long as a store may be away. */
const KEEP_TRYING_MS = 600_000;
const ASK_MS = 15_000;
/** For so long an answer of `mayLeave` holds: far less than the lease of the move. */
const MAY_LEAVE_FOR_MS = 2_000;

/**
 * Takes in the rest of what waits at the bot's server, and logs the bot out while a poll is open there: it is answered with what came in
 * the last moment (Client.cpp:16406 of the official server). Can be repeated. `mayLeave` is asked right before.
 */
export async function leaveServer(deps: LeaveDeps, bot: Bot, mayLeave: MayLeave): Promise<Leaving> {
  const owner = await beginPolling(deps, bot);
  if (owner.outcome === 'disabled') return leaveDisabled(deps, bot, mayLeave);
  if (owner.outcome === 'gone') return { outcome: 'failed', reason: 'Redis does not know the bot yet', stays: true };
  const polling = { fencingToken: owner.fencingToken, offset: owner.pollOffset };
  const begunAtMs = performance.now();
  let mayLeaveUntilMs = 0;
  for (;;) {
    if (deps.signal.aborted) return { outcome: 'lost' };
    if (stopsIntake(deps.memory?.pressure() ?? 'relaxed', owner.waiting))
      return { ...noRoom(bot, 'full'), isHere: false };
    const ended = new AbortController();
    const poll = askForUpdates(deps, bot, { offset: polling.offset, timeoutS: HELD_POLL_S, signal: ended.signal });
    let early = await Promise.race([poll, delay(quietMs(performance.now() - begunAtMs), null)]);
    try {
      if (early === null && performance.now() > mayLeaveUntilMs) {
        if (deps.signal.aborted || !(await mayLeave())) return { outcome: 'lost' };
        mayLeaveUntilMs = performance.now() + MAY_LEAVE_FOR_MS;
        // To ask took time: what came meanwhile answered the poll, and more may wait behind it.
        early = await Promise.race([poll, delay(1, null)]);
      }
      if (early === null) return await leaveDuring(deps, bot, polling, poll);
    } finally {
      if (early === null) ended.abort();
    }
    if (early.outcome === 'failed') {
      if (saysLoggedOut(early.reason)) return { outcome: 'left' };
      // A webhook was set there once more: the step before removes it.
      if (early.isConflict === true) return { outcome: 'no-room', reason: early.reason, isHere: true };
      if (early.isTokenRefused === true) return { outcome: 'refused', reason: early.reason };
      return { outcome: 'failed', reason: early.reason, stays: false };
    }
    const kept = await keep(deps, bot, polling, early);
    if (kept !== 'accepted') return notKept(bot, kept);
  }
}

type Polling = { fencingToken: number; offset: number };
function quietMs(busyMs: number): number {
  if (busyMs > QUIET_MS.endsAfterMs) return 0;
  return Math.max(QUIET_MS.least, QUIET_MS.first / 2 ** Math.floor(busyMs / QUIET_MS.halvedEveryMs));
}

async function leaveDuring(deps: LeaveDeps, bot: Bot, polling: Polling, poll: Promise<AskedFor>): Promise<Leaving> {
  const answer = await logOut(deps, bot);
  if (answer.outcome !== 'ok' && !isLoggedOut(answer) && fateOf(answer) !== 'doubt') {
    return isTokenRefused(answer) ? refused(bot, answer) : failed(bot, answer);
  }
  const last = await Promise.race([poll, delay(LAST_ANSWER_MS, null)]);
  if (last !== null) await keepLast(deps, bot, polling, last);
  return answer.outcome === 'ok' || isLoggedOut(answer) ? { outcome: 'left' } : failed(bot, answer);
}

/** Nobody else has them any more, so it is tried again whatever happens. */
async function keepLast(deps: LeaveDeps, bot: Bot, polling: Polling, last: AskedFor): Promise<void> {
  if (last.outcome !== 'updates' || last.updates.length === 0) return;
  const untilMs = performance.now() + KEEP_TRYING_MS;
  let told = '';
  for (;;) {
    const kept = await tryToKeep(deps, bot, polling, last).catch((error: unknown) => String(error));
    if (kept === 'done') return;
    const updates = last.updates.length;
    if (performance.now() > untilMs) {
      deps.log.error({ bot: bot.id, updates, reason: kept }, 'the last updates of a server are lost');
      return;
    }
    if (kept !== told) deps.log.error({ bot: bot.id, updates, reason: kept }, 'the last updates of a server wait here');
    told = kept;
    await delay(200);
  }
}

async function tryToKeep(deps: LeaveDeps, bot: Bot, polling: Polling, last: AskedFor): Promise<string> {
  const kept = await keep(deps, bot, polling, last);
  if (kept === 'accepted') return 'done';
  if (kept === 'gone') return (await botStore(deps.db).byId(bot.id)) === undefined ? 'done' : kept;
  if (kept === 'fenced') {
    const owner = await beginPolling(deps, bot);
    if (owner.outcome === 'owner') polling.fencingToken = owner.fencingToken;
  }
  return kept;
}

/** Nothing is taken in for it, so nothing may wait. */
async function leaveDisabled(deps: LeaveDeps, bot: Bot, mayLeave: MayLeave): Promise<Leaving> {
  if (deps.signal.aborted || !(await mayLeave())) return { outcome: 'lost' };
  const info = await deps.duringMoves.call(bot.token, 'getWebhookInfo', {}, { at: bot, timeoutMs: ASK_MS });
  if (isLoggedOut(info)) return { outcome: 'left' };
  if (info.outcome !== 'ok') return isTokenRefused(info) ? refused(bot, info) : { ...failed(bot, info), stays: true };
  const waiting = (info.result as { pending_update_count?: unknown } | null)?.pending_update_count;
  if (waiting !== 0) return noRoom(bot, 'disabled');
  if (!(await mayLeave())) return { outcome: 'lost' };
  const answer = await logOut(deps, bot);
  if (answer.outcome === 'ok' || isLoggedOut(answer)) return { outcome: 'left' };
  return failed(bot, answer);
}

function logOut({ duringMoves }: LeaveDeps, bot: Bot): Promise<PlatformAnswer> {
  return duringMoves.call(bot.token, 'logOut', {}, { at: bot, timeoutMs: LOG_OUT_MS });
}

function refused(bot: Bot, answer: Extract<PlatformAnswer, { outcome: 'refused' }>): Leaving {
  return { outcome: 'refused', reason: failureAt(bot.upstream, answer) };
}

function failed(bot: Bot, answer: Exclude<PlatformAnswer, { outcome: 'ok' }>): Extract<Leaving, { outcome: 'failed' }> {
  return { outcome: 'failed', reason: failureAt(bot.upstream, answer), stays: fateOf(answer) !== 'doubt' };
}

type Kept = 'accepted' | 'gone' | 'disabled' | 'fenced' | 'full';

async function keep(deps: LeaveDeps, bot: Bot, polling: Polling, asked: AskedFor): Promise<Kept> {
  if (asked.outcome !== 'updates') return 'accepted';
  const { fencingToken } = polling;
  const accepted = await acceptUpdates(deps, bot, asked.updates, { fencingToken, pollOffset: asked.pollOffset });
  if (accepted.outcome === 'accepted') polling.offset = asked.pollOffset ?? polling.offset;
  return accepted.outcome;
}

function notKept(bot: Bot, kept: Exclude<Kept, 'accepted'>): Leaving {
  return kept === 'gone' || kept === 'fenced' ? { outcome: 'lost' } : noRoom(bot, kept);
}

function noRoom(bot: Bot, kept: 'disabled' | 'full'): Extract<Leaving, { outcome: 'no-room' }> {
  const why = kept === 'disabled' ? 'the bot is disabled' : 'there is no room for its updates';
  return { outcome: 'no-room', reason: `${why}, and updates wait at ${serverWords(bot)}`, isHere: true };
}
