import type { BackendState, BotState } from '@flotilla/contract/bots.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { type Bot, hasBackend, polls } from '../bots/bot.ts';
import { type ProgramTrouble, readProgramTrouble } from './program-trouble.ts';

type Fault = { message: string; atMs: number };

export type BotStatus = {
  /** Enabled, and either a getUpdates succeeded in the last 90 s or the webhook at the platform is ours. */
  running: boolean;
  /** The newest fault of intake or delivery that no success has cleared. */
  lastError: Fault | null;
  /** The newest fault of delivery to the backend. Success does not clear it, as at the platform. */
  deliveryError: Fault | null;
  lastUpdateAtMs: number | null;
  /** Updates waiting for the backend (also in the hour after push was switched off), otherwise for the default consumer. */
  pendingUpdateCount: number;
  /** failing: the last attempts failed; open: the breaker is open, and only probes are sent. */
  backendState: BackendState;
  /** Since when every attempt at the backend has failed; null while its state is ok. */
  failingSinceMs: number | null;
  /** When intake of an enabled bot that is not running last worked; null if it never did, or nobody knows when. */
  intakeStoppedAtMs: number | null;
  /** null if no program of the bot is in trouble. */
  programTrouble: ProgramTrouble | null;
};

/** The status in one word, by which the fleet is counted. */
export function botState(bot: Bot, { running, backendState }: Pick<BotStatus, 'running' | 'backendState'>): BotState {
  if (bot.disabled) return 'disabled';
  return running ? backendState : 'not_polled';
}

type StatusDeps = { redis: RedisHandles; clock: Clock };

const RUNNING_MS = 90_000;
const FIELDS = [
  'allowedCount',
  'pullCursorCount',
  'pushCursorCount',
  'pushPending',
  'pushKeptUntil',
  'pollOkAt',
  'pollErr',
  'pollErrAt',
  'pushOkAt',
  'pushErr',
  'pushErrAt',
  'updateAt',
  'refusedAt',
  'failingSince',
  'openUntil',
  'hookOkAt',
];

/** The bot's present status, from Redis. */
export async function readBotStatus(deps: StatusDeps, bot: Bot): Promise<BotStatus> {
  return (await readBotStatuses(deps, [bot]))[0]!;
}

/** The statuses of many bots in one round trip, in the order of the bots. */
export async function readBotStatuses(deps: StatusDeps, bots: Bot[]): Promise<BotStatus[]> {
  if (bots.length === 0) return [];
  const [states, trouble] = await Promise.all([
    deps.redis.runMany(bots.map((bot) => ['hmget', botKeys(bot.id).state, ...FIELDS])),
    readProgramTrouble(deps, bots),
  ]);
  const nowMs = deps.clock.nowMs();
  return bots.map((bot, at) => ({
    ...statusFrom(bot, nowMs, states[at] as (string | null)[]),
    programTrouble: trouble.get(bot.id) ?? null,
  }));
}

function statusFrom(bot: Bot, nowMs: number, values: (string | null)[]): Omit<BotStatus, 'programTrouble'> {
  const field = Object.fromEntries(FIELDS.map((name, at) => [name, values[at] ?? null]));
  const number = (name: string) => Number(field[name] ?? 0);
  const fault = (message: string, at: string) =>
    field[message] ? { message: field[message], atMs: number(at) } : null;
  const deliveryError = fault('pushErr', 'pushErrAt');
  const intakeOkAtMs = Math.max(number('pollOkAt'), number('hookOkAt'), number('updateAt'));
  const running = isRunning(bot, nowMs, number);
  const backendState = backendStateOf(bot, number);
  return {
    running,
    lastError: newest(
      standing(fault('pollErr', 'pollErrAt'), intakeOkAtMs),
      standing(deliveryError, number('pushOkAt')),
    ),
    deliveryError,
    lastUpdateAtMs: field.updateAt ? number('updateAt') : null,
    pendingUpdateCount: pendingOf(bot, nowMs, number),
    backendState,
    failingSinceMs: backendState === 'ok' ? null : number('failingSince'),
    intakeStoppedAtMs: running || bot.disabled ? null : intakeStoppedAtMs(bot, number),
  };
}

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
  return bot.longPollEnabled ? FIELDS_OF_PENDING.pull : FIELDS_OF_PENDING.kept;
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
  return bot.webhookMode && !bot.disabled && number('hookOkAt') > 0;
}

/** The check of a webhook forgets when it last succeeded; a refusal by the platform says since when it lasts. */
function intakeStoppedAtMs(bot: Bot, number: ReadNumber): number | null {
  const atMs = polls(bot) ? number('pollOkAt') : number('refusedAt');
  return atMs > 0 ? atMs : null;
}

export function backendStateOf(bot: Bot, number: ReadNumber): BotStatus['backendState'] {
  if (!hasBackend(bot) || number('failingSince') === 0) return 'ok';
  return number('openUntil') > 0 ? 'open' : 'failing';
}

/** Counts updates of allowed kinds. A push that was switched off keeps its cursor and its waiting updates for an hour. */
export function pendingOf(bot: Bot, nowMs: number, number: ReadNumber): number {
  const count = number('allowedCount');
  const keepsPush = !bot.longPollEnabled && number('pushKeptUntil') > nowMs;
  if (hasBackend(bot) || keepsPush) {
    return count - number('pushCursorCount') + number('pushPending');
  }
  return bot.longPollEnabled ? count - number('pullCursorCount') : 0;
}

/** A fault stays until a later success. A success in the same millisecond does not clear it. */
function standing(fault: Fault | null, succeededAtMs: number): Fault | null {
  return fault !== null && fault.atMs >= succeededAtMs ? fault : null;
}

function newest(one: Fault | null, other: Fault | null): Fault | null {
  return one !== null && (other === null || one.atMs > other.atMs) ? one : other;
}
