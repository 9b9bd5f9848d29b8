import type { BackendState } from '@flotilla/contract/backend-states.ts';
import type { BotState } from '@flotilla/contract/bots.ts';
import { type Bot, hasBackend, polls } from '../bots/bot.ts';

/** Reads a field of the bot's state by its stored name; 0 where it is absent. */
export type ReadNumber = (field: string) => number;

/** The fields that isRunning and backendStateOf read for this bot. Bots with equal fields get the same array object. */
export function stateFieldsOf(bot: Bot): readonly string[] {
  if (bot.disabled) return FIELDS_OF_STATE.disabled;
  const { backend, alone } = polls(bot) ? FIELDS_OF_STATE.polled : FIELDS_OF_STATE.pushedTo;
  return hasBackend(bot) ? backend : alone;
}

/** The fields that pendingOf reads for this bot. Bots with equal fields get the same array object. */
export function pendingFieldsOf(bot: Bot): readonly string[] {
  if (hasBackend(bot)) return FIELDS_OF_PENDING.push;
  return bot.long_poll_enabled ? FIELDS_OF_PENDING.pull : FIELDS_OF_PENDING.kept;
}

const [allowedCount, pullCursorCount, pushCursorCount, pushPending, failingSince, openUntil] = [
  'allowedCount',
  'pullCursorCount',
  'pushCursorCount',
  'pushPending',
  'failingSince',
  'openUntil',
] as const;
const FIELDS_OF_STATE = {
  disabled: [],
  polled: { alone: ['pollOkAt'], backend: ['pollOkAt', failingSince, openUntil] },
  pushedTo: { alone: ['hookOkAt'], backend: ['hookOkAt', failingSince, openUntil] },
};
const FIELDS_OF_PENDING = {
  push: [allowedCount, pushCursorCount, pushPending],
  pull: [allowedCount, pullCursorCount],
  kept: [allowedCount, pushCursorCount, pushPending, 'pushKeptUntil'],
};

export function isRunning(bot: Bot, nowMs: number, number: ReadNumber): boolean {
  if (polls(bot)) return nowMs - number('pollOkAt') < RUNNING_MS;
  return bot.webhook_mode && !bot.disabled && number('hookOkAt') > 0;
}

export function backendStateOf(bot: Bot, number: ReadNumber): BackendState {
  if (!hasBackend(bot) || number('failingSince') === 0) return 'ok';
  return number('openUntil') > 0 ? 'open' : 'failing';
}

/** Counts updates of allowed kinds. A push that was switched off keeps its cursor and its waiting updates for an hour. */
export function pendingOf(bot: Bot, nowMs: number, number: ReadNumber): number {
  const count = number('allowedCount');
  const keepsPush = !bot.long_poll_enabled && number('pushKeptUntil') > nowMs;
  if (hasBackend(bot) || keepsPush) {
    return count - number('pushCursorCount') + number('pushPending');
  }
  return bot.long_poll_enabled ? count - number('pullCursorCount') : 0;
}

/** The status in one word, by which the fleet is counted. */
export function botState(
  bot: Bot,
  { running, backendState }: { running: boolean; backendState: BackendState },
): BotState {
  if (bot.disabled) return 'disabled';
  return running ? backendState : 'not_polled';
}

const RUNNING_MS = 90_000;
