import { setTimeout as delay } from 'node:timers/promises';
import { fateOf } from '@flotilla/telegram/call-fate.ts';
import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { serverWords } from '../../fleet/upstreams/server-words.ts';
import { acceptUpdates } from '../intake/accept-updates.ts';
import { beginPolling } from '../intake/begin-polling.ts';
import { type AskedFor, askForUpdates } from '../polling/ask-for-updates.ts';
import type { MoveDeps } from './move-deps.ts';
import { failureAt, isLoggedOut, saysLoggedOut } from './server-answers.ts';

export type Leaving =
  | { outcome: 'left' }
  /** The move was cancelled, or is another worker's. */
  | { outcome: 'lost' }
  | { outcome: 'no-room'; reason: string }
  /** `stays`: the server surely did not log it out. */
  | { outcome: 'failed'; reason: string; stays: boolean };

/** Once nothing has come for so long, the bot is logged out. For a busy bot it becomes shorter, and in the end nothing is waited for. */
const QUIET_MS = { first: 200, least: 10, halvedEveryMs: 3_000, endsAfterMs: 30_000 };
const HELD_POLL_S = 25;
/** The server answers the poll that is open when the bot is logged out. */
const LAST_ANSWER_MS = 5_000;
const KEEP_TRYING_MS = 60_000;

/**
 * Takes in the rest of what waits at the bot's server, and logs the bot out while a poll is open there: it is answered with what came in
 * the last moment (Client.cpp:16406 of the official server). Can be repeated. `mayLeave` is asked right before.
 */
export async function leaveServer(deps: MoveDeps, bot: Bot, mayLeave: () => Promise<boolean>): Promise<Leaving> {
  const owner = await beginPolling(deps, bot);
  if (owner.outcome !== 'owner') return leaveDisabled(deps, bot, mayLeave);
  const polling = { fencingToken: owner.fencingToken, offset: owner.pollOffset };
  const begunAtMs = performance.now();
  let mayGo = false;
  for (;;) {
    const ended = new AbortController();
    const poll = askForUpdates(deps, bot, { offset: polling.offset, timeoutS: HELD_POLL_S, signal: ended.signal });
    let early = await Promise.race([poll, delay(quietMs(performance.now() - begunAtMs), null)]);
    try {
      if (early === null && !mayGo) {
        mayGo = await mayLeave();
        if (!mayGo) return { outcome: 'lost' };
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
      if (early.isConflict === true) return { outcome: 'no-room', reason: early.reason };
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

async function leaveDuring(deps: MoveDeps, bot: Bot, polling: Polling, poll: Promise<AskedFor>): Promise<Leaving> {
  const answer = await deps.duringMoves.call(bot.token, 'logOut', {}, { at: bot });
  const isOut = answer.outcome === 'ok' || isLoggedOut(answer);
  const last = await Promise.race([poll, delay(isOut ? LAST_ANSWER_MS : 0, null)]);
  // Nobody else has them any more.
  const untilMs = performance.now() + KEEP_TRYING_MS;
  while (last?.outcome === 'updates' && last.updates.length > 0) {
    const kept = await keep(deps, bot, polling, last).catch((error: unknown) => {
      deps.log.warn({ bot: bot.id, reason: String(error) }, 'the last updates of a server are not kept yet');
      return 'failed' as const;
    });
    if (kept === 'accepted' || kept === 'gone') break;
    if (!isOut || performance.now() > untilMs) return notKept(bot, kept);
    if (kept === 'fenced') Object.assign(polling, await takenAgain(deps, bot));
    await delay(200);
  }
  return answer.outcome === 'ok' || isOut ? { outcome: 'left' } : failed(bot, answer);
}

async function takenAgain(deps: MoveDeps, bot: Bot): Promise<Partial<Polling>> {
  const owner = await beginPolling(deps, bot);
  return owner.outcome === 'owner' ? { fencingToken: owner.fencingToken } : {};
}

/** Nothing is taken in for it, so nothing may wait. */
async function leaveDisabled(deps: MoveDeps, bot: Bot, mayLeave: () => Promise<boolean>): Promise<Leaving> {
  const info = await deps.duringMoves.call(bot.token, 'getWebhookInfo', {}, { at: bot });
  if (isLoggedOut(info)) return { outcome: 'left' };
  if (info.outcome !== 'ok') return { ...failed(bot, info), stays: false };
  const waiting = (info.result as { pending_update_count?: unknown } | null)?.pending_update_count;
  if (waiting !== 0) return notKept(bot, 'disabled');
  if (!(await mayLeave())) return { outcome: 'lost' };
  const answer = await deps.duringMoves.call(bot.token, 'logOut', {}, { at: bot });
  if (answer.outcome === 'ok' || isLoggedOut(answer)) return { outcome: 'left' };
  return failed(bot, answer);
}

function failed(bot: Bot, answer: Exclude<PlatformAnswer, { outcome: 'ok' }>): Extract<Leaving, { outcome: 'failed' }> {
  return { outcome: 'failed', reason: failureAt(bot.upstream, answer), stays: fateOf(answer) !== 'doubt' };
}

type Kept = 'accepted' | 'gone' | 'disabled' | 'fenced' | 'full' | 'failed';

async function keep(deps: MoveDeps, bot: Bot, polling: Polling, asked: AskedFor): Promise<Kept> {
  if (asked.outcome !== 'updates') return 'accepted';
  const { fencingToken } = polling;
  const accepted = await acceptUpdates(deps, bot, asked.updates, { fencingToken, pollOffset: asked.pollOffset });
  if (accepted.outcome === 'accepted') polling.offset = asked.pollOffset ?? polling.offset;
  return accepted.outcome;
}

function notKept(bot: Bot, kept: Exclude<Kept, 'accepted'>): Leaving {
  if (kept === 'gone' || kept === 'fenced') return { outcome: 'lost' };
  const why = kept === 'disabled' ? 'the bot is disabled' : 'there is no room for its updates';
  return { outcome: 'no-room', reason: `${why}, and updates wait at ${serverWords(bot)}` };
}
