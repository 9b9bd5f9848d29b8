import { ATTENTION_KINDS, type AttentionKind } from '@flotilla/contract/attention.ts';
import { type Bot, hasBackend, isBetweenServers, keepsHistory, polls, routes } from '../bots/bot.ts';
import { foreignSinceMs } from '../bots/foreign-webhook.ts';
import { backendStateOf, isRunning, pendingOf, type ReadNumber } from './bot-state.ts';
import type { ProgramAttention } from './program-attention.ts';
import { isSilent } from './silent.ts';

/** Something that is wrong with a bot. */
export type Attention = {
  kind: AttentionKind;
  /** null: nobody knows, or it is a setting. */
  sinceMs: number | null;
  reader: string | null;
  program_id: number | null;
  /** Updates that wait for the reader; null where none is meant. */
  waiting: number | null;
};

const INTAKE = ['pollOkAt', 'hookOkAt', 'refusedAt', 'foreignAt', 'intakePausedAt', 'updateAt'] as const;
const REACH = ['unreachableSince', 'unreachableAt', 'unreachableTimes'] as const;
const HELD = ['heldSends', 'sendsHeldSince'] as const;
const PUSH = ['failingSince', 'openUntil', 'allowedCount', 'pushCursorCount', 'pushPending'] as const;
const PULL = ['allowedCount', 'pullCursorCount', 'pulledAt', 'servedSince'] as const;
const FIELDS = {
  disabled: [],
  neither: [...INTAKE, ...REACH, ...HELD, 'pushOkAt', 'pulledAt'],
  push: [...INTAKE, ...REACH, ...HELD, ...PUSH],
  pull: [...INTAKE, ...REACH, ...HELD, ...PULL],
  both: [...new Set([...INTAKE, ...REACH, ...HELD, ...PUSH, ...PULL])],
};
/** A bot that was just added has not been polled yet. */
const UNHEARD_MS = 90_000;
/** Intake is tried again more often. */
const PAUSE_SHOWN_MS = 300_000;
const MOVE_STUCK_MS = 60_000;
/** Waiting updates are tried again more often. One call that failed may have had a reason of its own. */
const UNREACHABLE = { shownMs: 180_000, times: 2 };

/** Tells since when and until when (ms) the platform takes no more of some calls of a bot; null if it takes all. */
export type KnownFloods = { statusOf(botId: number): { sinceMs: number; untilMs: number } | null };

/** The fields of a bot's state that attentionOf reads. Bots with equal fields get the same array object. */
export function attentionFieldsOf(bot: Bot): readonly string[] {
  if (bot.disabled) return FIELDS.disabled;
  if (hasBackend(bot)) return bot.long_poll_enabled ? FIELDS.both : FIELDS.push;
  return bot.long_poll_enabled ? FIELDS.pull : FIELDS.neither;
}

/** The faults of a bot, the worst first. A bot that is switched off has none. */
export function attentionOf(
  bot: Bot,
  nowMs: number,
  number: ReadNumber,
  programs: readonly ProgramAttention[],
  floods: KnownFloods,
): Attention[] {
  if (bot.disabled) return [];
  const found = [intakeAttention(bot, nowMs, number), backendAttention(bot, nowMs, number)];
  found.push(pollerAttention(bot, nowMs, number), floodAttention(bot, floods), settingsAttention(bot, number));
  found.push(reachAttention(nowMs, number), heldAttention(number), moveAttention(bot, nowMs));
  const ofPrograms = programs.map(({ kind, program: { id }, sinceMs, waiting }) => {
    return { kind, sinceMs, reader: `program:${id}`, program_id: id, waiting };
  });
  return [...found.filter((one) => one !== null), ...ofPrograms].toSorted(byUrgency);
}

/** The worst first, and of equal kinds what has lasted longest. */
export function byUrgency(one: Attention, other: Attention): number {
  const ofKinds = ATTENTION_KINDS.indexOf(one.kind) - ATTENTION_KINDS.indexOf(other.kind);
  return ofKinds || (one.sinceMs ?? Number.POSITIVE_INFINITY) - (other.sinceMs ?? Number.POSITIVE_INFINITY) || 0;
}

const NOBODY = { reader: null, program_id: null, waiting: null };

function intakeAttention(bot: Bot, nowMs: number, number: ReadNumber): Attention | null {
  if (isBetweenServers(bot)) return null;
  const [refusedAt, pausedAt, polledAt] = [number('refusedAt'), number('intakePausedAt'), number('pollOkAt')];
  const tookAt = Math.max(polledAt, number('updateAt'));
  if (pausedAt > tookAt && nowMs - pausedAt < PAUSE_SHOWN_MS) {
    return { ...NOBODY, kind: 'intake_paused', sinceMs: tookAt || null };
  }
  if (refusedAt > 0) return { ...NOBODY, kind: 'token_revoked', sinceMs: refusedAt };
  const foreignAt = foreignSinceMs(bot, number);
  if (foreignAt !== null) return { ...NOBODY, kind: 'foreign_webhook', sinceMs: foreignAt };
  const isNew = nowMs - bot.created_at.getTime() < UNHEARD_MS;
  if (isNew || isRunning(bot, nowMs, number)) return null;
  return { ...NOBODY, kind: 'intake_failing', sinceMs: (polls(bot) && polledAt) || null };
}

function backendAttention(bot: Bot, nowMs: number, number: ReadNumber): Attention | null {
  const state = backendStateOf(bot, number);
  if (state === 'ok') return null;
  const kind = state === 'open' ? 'backend_open' : 'backend_failing';
  const waiting = pendingOf(bot, nowMs, number);
  return { kind, sinceMs: number('failingSince'), reader: 'push', program_id: null, waiting };
}

function pollerAttention(bot: Bot, nowMs: number, number: ReadNumber): Attention | null {
  if (!bot.long_poll_enabled) return null;
  const waiting = number('allowedCount') - number('pullCursorCount');
  const polledAtMs = number('pulledAt') || null;
  const polled = { waiting, polledAtMs, servedSinceMs: number('servedSince') };
  if (!isPollerSilent(bot, nowMs, polled)) return null;
  return { kind: 'poller_silent', sinceMs: unpolledSinceMs(bot, polled), reader: 'pull', program_id: null, waiting };
}

/** `servedSinceMs`: when its polls began to be served again after its bot or its long polling was off; 0: it was not off. */
type PolledByDefault = { waiting: number; polledAtMs: number | null; servedSinceMs: number };

/** True if updates wait for the default poller, and it is silent. It may be nobody where a backend gets the updates. */
export function isPollerSilent(bot: Bot, nowMs: number, polled: PolledByDefault): boolean {
  if (hasBackend(bot) && polled.polledAtMs === null) return false;
  const { waiting } = polled;
  return isSilent(nowMs, { waiting, polledAtMs: unpolledSinceMs(bot, polled), silent_after_s: bot.silent_after_s });
}

/** Since when somebody could have polled, and nobody has. */
function unpolledSinceMs(bot: Bot, { polledAtMs, servedSinceMs }: PolledByDefault): number {
  return Math.max(polledAtMs ?? bot.created_at.getTime(), servedSinceMs);
}

function reachAttention(nowMs: number, number: ReadNumber): Attention | null {
  const isRecent = nowMs - number('unreachableAt') < UNREACHABLE.shownMs;
  if (!isRecent || number('unreachableTimes') < UNREACHABLE.times) return null;
  return { ...NOBODY, kind: 'platform_unreachable', sinceMs: number('unreachableSince') || null };
}

function heldAttention(number: ReadNumber): Attention | null {
  if (number('heldSends') === 0) return null;
  return { ...NOBODY, kind: 'sends_held', sinceMs: number('sendsHeldSince') || null };
}

/** A wait whose end is known is as it should be. */
function moveAttention({ moving }: Bot, nowMs: number): Attention | null {
  if (!moving || moving.reason === '' || moving.waits_until !== null) return null;
  const sinceMs = Date.parse(moving.step_since);
  return nowMs - sinceMs < MOVE_STUCK_MS ? null : { ...NOBODY, kind: 'move_stuck', sinceMs };
}

function floodAttention({ id }: Bot, floods: KnownFloods): Attention | null {
  const flood = floods.statusOf(id);
  return flood === null ? null : { ...NOBODY, kind: 'flood', sinceMs: flood.sinceMs };
}

/** People answer in such a bot, or its messages are only kept: it never had a program. */
function isForPeople(bot: Bot, number: ReadNumber): boolean {
  const wasRead = number('pushOkAt') > 0 || number('pulledAt') > 0;
  return keepsHistory(bot) && bot.programs.length === 0 && !wasRead;
}

function settingsAttention(bot: Bot, number: ReadNumber): Attention | null {
  if (bot.backend_url !== '' && !bot.proxy_enabled) return { ...NOBODY, kind: 'forwarding_off', sinceMs: null };
  const isRead = hasBackend(bot) || bot.long_poll_enabled || routes(bot) || bot.programs.some(({ enabled }) => enabled);
  return isRead || isForPeople(bot, number) ? null : { ...NOBODY, kind: 'nobody_reads', sinceMs: null };
}
