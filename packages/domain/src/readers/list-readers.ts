import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { runScript } from '@flotilla/redis/scripts.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Bot } from '../bots/bot.ts';
import { hasBackend } from '../bots/bot.ts';
import { programConsumer } from '../pull/read-updates.ts';

/**
 * ok; failing and open: the backend's breaker; paused: the bot is disabled, or the program; off; parked: push that was
 * switched off keeps its cursor for an hour, or a consumer that has not polled for an hour (a program: for a day) keeps
 * its cursor and no updates.
 */
export type ReaderState = 'ok' | 'failing' | 'open' | 'paused' | 'parked' | 'off';

/** One reader of a bot's log. Absent values are null. */
export type Reader = {
  /** 'pull', 'push', 'rules', 'consumer:<name>' or 'program:<id>'. */
  reader: string;
  state: ReaderState;
  cursor: number | null;
  /** Updates of allowed kinds that wait. */
  behind: number;
  oldestAtMs: number | null;
  /** Entries of the log that only this reader keeps. */
  keeps: number;
  inFlight: number | null;
  /** When the next update is tried: one that failed, or the next probe while the breaker is open. */
  nextTryAtMs: number | null;
  polledAtMs: number | null;
  parkedUntilMs: number | null;
  breaker: Breaker | null;
};

export type Breaker = {
  failingSinceMs: number | null;
  nextProbeAtMs: number | null;
  /** The last error of delivery, while nothing has succeeded since. */
  error: { message: string; atMs: number } | null;
  succeededAtMs: number | null;
};

type ListDeps = { redis: RedisHandles; clock: Clock };

/** As in scripts/lib/trim.lua. */
const CONSUMER_PIN_MS = 3_600_000;
const PROGRAM_PIN_MS = 86_400_000;
const SHOWN = [
  'on',
  'pull',
  'push',
  'parked',
  'rules',
  'failingSince',
  'openUntil',
  'pushErr',
  'pushErrAt',
  'pushOkAt',
  'pulledAt',
] as const;
type Shown = Record<(typeof SHOWN)[number], string>;
type Row = [reader: string, cursor: string, behind: number, ...(string | number)[]];

/** How far each reader of the bot is, all at one moment. Throws 'unavailable' while Redis does not know the bot. */
export async function listReaders(deps: ListDeps, bot: Bot): Promise<Reader[]> {
  const keys = botKeys(bot.id);
  const nowMs = deps.clock.nowMs();
  const [outcome, values, ...rows] = await runScript(
    deps.redis.commands,
    'read-readers',
    [keys.state, keys.log, keys.consumers, keys.lanes, keys.inFlight, keys.rulesLanes, keys.rulesInFlight],
    [bot.registrationId, nowMs, keys.lane(''), keys.rulesLane('')],
  );
  if (outcome !== 'OK') {
    throw new FlotillaError('unavailable', 'The state of the bot is being set up', { retryAfterS: 5 });
  }
  const shown = Object.fromEntries(SHOWN.map((name, at) => [name, (values as string[])[at]!])) as Shown;
  return (rows as Row[]).map((row) => readerOf(bot, nowMs, shown, row));
}

function readerOf(bot: Bot, nowMs: number, shown: Shown, row: Row): Reader {
  const [reader, cursor, behind, oldestAt, inFlight, dueAt, keeps, polledAt] = row;
  const polledAtMs = reader === 'pull' ? number(shown.pulledAt) : number(polledAt);
  const state = stateOf(reader, bot, nowMs, shown, polledAtMs);
  const breaker = reader === 'push' && state !== 'off' ? breakerOf(nowMs, shown) : null;
  const isTrying = state === 'ok' || state === 'failing';
  return {
    reader,
    state,
    cursor: number(cursor),
    behind,
    oldestAtMs: number(oldestAt),
    keeps: Number(keeps),
    inFlight: number(inFlight),
    nextTryAtMs: breaker?.nextProbeAtMs ?? (isTrying && behind > 0 ? later(number(dueAt), nowMs) : null),
    polledAtMs,
    parkedUntilMs: state === 'parked' && reader === 'push' ? number(shown.parked) : null,
    breaker,
  };
}

function stateOf(reader: string, bot: Bot, nowMs: number, shown: Shown, polledAtMs: number | null): ReaderState {
  const isPaused = shown.on !== '1';
  switch (reader) {
    case 'push':
      if (shown.push !== '1') return Number(shown.parked) > nowMs ? 'parked' : 'off';
      if (isPaused) return 'paused';
      if (!hasBackend(bot) || shown.failingSince === '') return 'ok';
      return shown.openUntil === '' ? 'failing' : 'open';
    case 'rules':
      if (shown.rules !== '1') return 'off';
      return isPaused ? 'paused' : 'ok';
    default:
      if (isProgram(reader)) return programState(reader, bot, nowMs, isPaused, polledAtMs);
      if (shown.pull !== '1') return 'off';
      if (isPaused) return 'paused';
      return reader !== 'pull' && nowMs - (polledAtMs ?? 0) >= CONSUMER_PIN_MS ? 'parked' : 'ok';
  }
}

function isProgram(reader: string): boolean {
  return reader.startsWith('program:');
}

function programState(
  reader: string,
  bot: Bot,
  nowMs: number,
  isPaused: boolean,
  polledAtMs: number | null,
): ReaderState {
  const program = bot.programs.find(({ id }) => programConsumer(id) === reader);
  if (isPaused || program?.enabled === false) return 'paused';
  return nowMs - (polledAtMs ?? 0) >= PROGRAM_PIN_MS ? 'parked' : 'ok';
}

/** While the breaker is open, the next probe is due now if its time has passed. */
function breakerOf(nowMs: number, shown: Shown): Breaker {
  const [errorAtMs, succeededAtMs, openUntilMs] = [shown.pushErrAt, shown.pushOkAt, shown.openUntil].map(number);
  const stands = shown.pushErr !== '' && (errorAtMs ?? 0) >= (succeededAtMs ?? 0);
  return {
    failingSinceMs: number(shown.failingSince),
    nextProbeAtMs: shown.on === '1' && openUntilMs !== null ? Math.max(openUntilMs!, nowMs) : null,
    error: stands ? { message: shown.pushErr, atMs: errorAtMs ?? 0 } : null,
    succeededAtMs: succeededAtMs ?? null,
  };
}

/** null for a time that is past: it is due now, and nobody waits for it. */
function later(atMs: number | null, nowMs: number): number | null {
  return atMs !== null && atMs > nowMs ? atMs : null;
}

function number(value: string | number | undefined): number | null {
  return value === '' || value === undefined ? null : Number(value);
}
