import type { BackendState } from '@flotilla/contract/backend-states.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { serverNowMs } from '@flotilla/redis/server-now.ts';
import { type Bot, polls } from '../bots/bot.ts';
import { foreignSinceMs } from '../bots/foreign-webhook.ts';
import { type Attention, attentionOf, type KnownFloods } from './attention.ts';
import { attentionTexts, type TextOf } from './attention-texts.ts';
import { backendStateOf, isRunning, pendingOf, type ReadNumber } from './bot-state.ts';
import { type ProgramAttention, readProgramAttention } from './program-attention.ts';

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
  /** The webhook of another service that gets the updates instead of us; null while our intake works. */
  foreignWebhook: { host: string; sinceMs: number } | null;
  /** When intake was switched to polling or to pushes last; null if it never was. */
  intakeSinceMs: number | null;
  /** Until when the platform takes no more of some of its calls; null if it takes all. */
  floodUntilMs: number | null;
  /** Its faults, the worst first. */
  attention: (Attention & { text: string })[];
};

type StatusDeps = { redis: RedisHandles; floods: KnownFloods };

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
  'intakePausedAt',
  'intakeSince',
  'foreignAt',
  'foreignHost',
  'pulledAt',
  'servedSince',
  'unreachableSince',
  'unreachableAt',
  'unreachableTimes',
  'unreachableErr',
  'heldSends',
  'sendsHeldSince',
];

/** The bot's present status, from Redis. */
export async function readBotStatus(deps: StatusDeps, bot: Bot): Promise<BotStatus> {
  return (await readBotStatuses(deps, [bot]))[0]!;
}

/** The statuses of many bots in one round trip, in the order of the bots. */
export async function readBotStatuses(deps: StatusDeps, bots: Bot[]): Promise<BotStatus[]> {
  if (bots.length === 0) return [];
  // Scripts wrote the times in the states: a process whose clock is wrong must call nobody silent.
  const [states, programs, nowMs] = await Promise.all([
    deps.redis.runMany(bots.map((bot) => ['hmget', botKeys(bot.id).state, ...FIELDS])),
    readProgramAttention(deps, bots),
    serverNowMs(deps.redis),
  ]);
  const textOf = await attentionTexts(deps, programs);
  return bots.map((bot, at) =>
    statusFrom(deps.floods, bot, nowMs, states[at] as (string | null)[], programs.get(bot.id) ?? [], textOf),
  );
}

function statusFrom(
  floods: KnownFloods,
  bot: Bot,
  nowMs: number,
  values: (string | null)[],
  programs: readonly ProgramAttention[],
  textOf: TextOf,
): BotStatus {
  const field = Object.fromEntries(FIELDS.map((name, at) => [name, values[at] ?? null]));
  const number = (name: string) => Number(field[name] ?? 0);
  const fault = (message: string, at: string) =>
    field[message] ? { message: field[message], atMs: number(at) } : null;
  const deliveryError = fault('pushErr', 'pushErrAt');
  const intakeOkAtMs = Math.max(number('pollOkAt'), number('hookOkAt'), number('updateAt'));
  const running = isRunning(bot, nowMs, number);
  const backendState = backendStateOf(bot, number);
  const intakeError = standing(fault('pollErr', 'pollErrAt'), intakeOkAtMs);
  const backendError = standing(deliveryError, number('pushOkAt'));
  const floodUntilMs = floods.statusOf(bot.id)?.untilMs ?? null;
  const foreignSince = foreignSinceMs(bot, number);
  const foreignHost = field.foreignHost ?? '';
  const errors = {
    foreignHost,
    intake: intakeError?.message ?? '',
    backend: backendError?.message ?? '',
    reach: field.unreachableErr ?? '',
    floodUntilMs,
    heldSends: number('heldSends'),
  };
  return {
    running,
    lastError: newest(intakeError, backendError),
    deliveryError,
    lastUpdateAtMs: field.updateAt ? number('updateAt') : null,
    pendingUpdateCount: pendingOf(bot, nowMs, number),
    backendState,
    failingSinceMs: backendState === 'ok' ? null : number('failingSince'),
    intakeStoppedAtMs: running || bot.disabled ? null : intakeStoppedAtMs(bot, number),
    foreignWebhook: foreignSince === null ? null : { host: foreignHost, sinceMs: foreignSince },
    intakeSinceMs: number('intakeSince') || null,
    floodUntilMs,
    attention: attentionOf(bot, nowMs, number, programs, floods).map((one) => ({
      ...one,
      text: textOf(bot, one, errors),
    })),
  };
}

/** The check of a webhook forgets when it last succeeded; a refusal by the platform says since when it lasts. */
function intakeStoppedAtMs(bot: Bot, number: ReadNumber): number | null {
  const atMs = polls(bot) ? number('pollOkAt') : number('refusedAt');
  return atMs > 0 ? atMs : null;
}

/** A fault stays until a later success. A success in the same millisecond does not clear it. */
function standing(fault: Fault | null, succeededAtMs: number): Fault | null {
  return fault !== null && fault.atMs >= succeededAtMs ? fault : null;
}

function newest(one: Fault | null, other: Fault | null): Fault | null {
  return one !== null && (other === null || one.atMs > other.atMs) ? one : other;
}
