import type { ReaderState } from '@flotilla/contract/readers.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { type BotRow, type ReaderRow, scripts } from '@flotilla/redis/script-calls.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { isPollerSilent } from '../../fleet/bot-list/attention.ts';
import { readProgramAttention } from '../../fleet/bot-list/program-attention.ts';
import { type ActiveProgram, programOfReader } from '../../fleet/bots/active-program.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { hasBackend } from '../../fleet/bots/bot.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import { qualityKey, readQualities } from '../../records/activity/read-readers.ts';
import type { Quality } from '../../records/activity/reader-counts.ts';
import { type Breaker, breakerOf, numberOrNull } from './breaker.ts';
import { programReader } from './program-reader.ts';

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
  /** Who polled then, for people; only of the default consumer and of programs. */
  polledBy: string | null;
  parkedUntilMs: number | null;
  breaker: Breaker | null;
  /** How its attempts of the last hour went; null of one that polls, and without an attempt. */
  quality: Quality | null;
  /** Of a program that this process's configuration has. */
  program: ActiveProgram | null;
};

type ListDeps = { redis: RedisHandles };

/** The same number as in scripts/lib/trim.lua. */
const CONSUMER_PIN_MS = 3_600_000;

/** How far each reader of the bot is, all at one moment. Throws 'unavailable' while Redis does not know the bot. */
export async function listReaders(deps: ListDeps, bot: Bot): Promise<Reader[]> {
  const keys = botKeys(bot.id);
  const found = await scripts.readReaders(deps.redis.commands, keys, {
    ...registrationOf(bot),
    lanePrefix: keys.lane(''),
    rulesLanePrefix: keys.rulesLane(''),
    programPrefix: keys.programPrefix,
  });
  if (found.outcome !== 'OK') {
    throw new FlotillaError('unavailable', 'The state of the bot is being set up', { retryAfterS: 5 });
  }
  const known = found.readers.map((row) => readerOf(bot, found.nowMs, found.bot, row));
  const readers = await withSilence(deps, bot, known);
  const sending = readers.filter(({ inFlight }) => inFlight !== null).map(({ reader }) => ({ botId: bot.id, reader }));
  const qualities = await readQualities({ ...deps, clock: { nowMs: () => found.nowMs } }, sending);
  return readers.map((reader) => ({ ...reader, quality: qualities.get(qualityKey(bot.id, reader.reader)) ?? null }));
}

/** Of the updates behind a program's cursor, those that are not for it do not make it silent. */
async function withSilence<Known extends Pick<Reader, 'state' | 'program'>>(
  deps: ListDeps,
  bot: Bot,
  readers: Known[],
): Promise<Known[]> {
  const isAsked = ({ state, program }: Known) => state === 'silent' && program !== null;
  if (!readers.some(isAsked)) return readers;
  const attention = (await readProgramAttention(deps, [bot])).get(bot.id) ?? [];
  const silent = new Set(attention.flatMap(({ kind, program }) => (kind === 'program_silent' ? [program.id] : [])));
  return readers.map((reader) =>
    isAsked(reader) && !silent.has(reader.program!.id) ? { ...reader, state: 'ok' as const } : reader,
  );
}

function readerOf(bot: Bot, nowMs: number, shown: BotRow, row: ReaderRow): Omit<Reader, 'quality'> {
  const { reader, cursor, behind, oldestAtMs, inFlight, dueAtMs, keeps } = row;
  const polledAtMs = reader === 'pull' ? numberOrNull(shown.pulledAt) : row.polledAtMs;
  const programId = programOfReader(reader);
  const isOn = shown.on === '1';
  const { state, breaker, program } =
    programId === null || row.program === null
      ? ownReader(bot, nowMs, shown, { reader, behind, polledAtMs })
      : programReader({ bot, isOn, nowMs }, programId, { polledAtMs, behind }, row.program);
  const isTrying = state === 'ok' || state === 'failing';
  return {
    reader,
    state,
    cursor,
    behind,
    oldestAtMs,
    keeps,
    inFlight,
    nextTryAtMs: breaker?.nextProbeAtMs ?? (isTrying && behind > 0 ? later(dueAtMs, nowMs) : null),
    polledAtMs,
    polledBy: row.polledBy || null,
    parkedUntilMs: state === 'parked' && reader === 'push' ? numberOrNull(shown.pushKeptUntil) : null,
    breaker,
    program,
  };
}

type OwnRow = Pick<ReaderRow, 'reader' | 'behind' | 'polledAtMs'>;

function ownReader(bot: Bot, nowMs: number, shown: BotRow, row: OwnRow) {
  const { reader } = row;
  const state = stateOf(bot, nowMs, shown, row);
  const breaker = reader === 'push' && state !== 'off' ? breakerOf(nowMs, shown.on === '1', shown) : null;
  return { state, breaker, program: null };
}

function stateOf(bot: Bot, nowMs: number, shown: BotRow, { reader, behind, polledAtMs }: OwnRow): ReaderState {
  const isPaused = shown.on !== '1';
  switch (reader) {
    case 'push':
      if (shown.push !== '1') return Number(shown.pushKeptUntil) > nowMs ? 'parked' : 'off';
      if (isPaused) return 'paused';
      if (!hasBackend(bot) || shown.failingSince === '') return 'ok';
      return shown.openUntil === '' ? 'failing' : 'open';
    case 'rules':
      if (shown.rules !== '1') return 'off';
      return isPaused ? 'paused' : 'ok';
    default:
      if (shown.pull !== '1') return 'off';
      if (isPaused) return 'paused';
      if (reader !== 'pull' && nowMs - (polledAtMs ?? 0) >= CONSUMER_PIN_MS) return 'parked';
      return isPollerSilent(bot, nowMs, { waiting: behind, polledAtMs, servedSinceMs: Number(shown.servedSince) })
        ? 'silent'
        : 'ok';
  }
}

/** null for a time that is past: it is due now, and nobody waits for it. */
function later(atMs: number | null, nowMs: number): number | null {
  return atMs !== null && atMs > nowMs ? atMs : null;
}
