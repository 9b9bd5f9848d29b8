import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, programKeys } from '@flotilla/redis/keys.ts';
import type { KeyCommand } from '@flotilla/redis/redis-commands.ts';
import { programOfReader, programReaderName } from '../../fleet/bots/active-program.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { isHeldMark, isMarkedFor, ownerOf } from '../../fleet/bots/log-mark.ts';
import { isKindWanted, kindsOfProgram } from '../../fleet/bots/wanted-kinds.ts';
import type { KnownUpdate } from './known-update.ts';
import type { ListedAttempt } from './list-attempts.ts';

export type UpdateOutcome = 'delivered' | 'waiting' | 'filtered' | 'dead' | 'dropped' | 'held' | 'expired';

export type ReaderOfUpdate = {
  /** 'pull', 'push', 'rules', 'consumer:<name>' or 'program:<id>'. */
  reader: string;
  program_name: string | null;
  outcome: UpdateOutcome;
  /** The reason that kept it from the reader: 'allowed_updates', 'kinds', 'filter', 'rules' or 'program:<id>'. */
  filtered_by: string | null;
  /** The oldest first. */
  attempts: ListedAttempt[];
};

/** Where a reader is. */
type Place = { reader: string; cursor: number; hasLanes: boolean; waitsInLane: boolean };
type Ended = Pick<ReaderOfUpdate, 'outcome' | 'filtered_by'>;

/** The fate of an update at each reader of the bot, as far as anybody knows. */
export async function readersOfUpdate(
  deps: { db: Database; redis: RedisHandles },
  bot: Bot,
  known: KnownUpdate,
): Promise<ReaderOfUpdate[]> {
  const places = await placesOf(deps, bot, known);
  const younger = await programsAfter(deps.db, bot.id, known.acceptedAtMs);
  return places.flatMap(({ place, isOn }) => {
    const { reader } = place;
    const attempts = known.attempts.filter((attempt) => attempt.reader === reader && !isCopyNotSent(attempt)).reverse();
    const programId = programOfReader(reader);
    const isOlder = programId === null || !younger.has(programId);
    const ended = endOf(bot, known, place, attempts) ?? (isOn && isOlder ? withoutAttempt(bot, known, place) : null);
    if (ended === null) return [];
    const program_name = bot.programs.find(({ id }) => id === programId)?.name ?? null;
    return [{ reader, program_name, ...ended, attempts: attempts.filter(({ outcome }) => outcome !== 'dropped') }];
  });
}

/** The end of a replayed copy says nothing about the update. */
function isCopyNotSent({ outcome, replay }: ListedAttempt): boolean {
  return outcome === 'dropped' && replay !== undefined;
}

/** The fate by its dead letter, its lane and its attempts; null if they say nothing. */
function endOf(bot: Bot, known: KnownUpdate, place: Place, attempts: ListedAttempt[]): Ended | null {
  if (place.waitsInLane) return ended('waiting');
  const letter = known.letters.find(({ reader }) => reader === place.reader);
  if (letter !== undefined) return ended(letter.reason_code === 'expired' ? 'expired' : 'dead');
  const last = attempts.at(-1);
  if (last === undefined) return null;
  if (last.outcome === 'dropped')
    return place.reader === 'push' ? ended('dropped', 'rules') : ended('filtered', 'filter');
  if (attempts.some(({ outcome }) => outcome === 'delivered')) return ended('delivered');
  // Its dead letter was discarded.
  return filterOf(bot, known, place.reader) === null ? ended('dead') : null;
}

function withoutAttempt(bot: Bot, known: KnownUpdate, place: Place): Ended | null {
  if (isHeldFrom(bot, known, place.reader)) return ended('held');
  const filteredBy = filterOf(bot, known, place.reader);
  if (filteredBy !== null) return ended('filtered', filteredBy);
  // Without its acceptance nobody knows whether the reader was there.
  if (known.acceptedAtMs === null) return null;
  if (known.id > place.cursor) return ended('waiting');
  if (place.reader === 'rules') return ended('filtered', 'rules');
  return place.hasLanes ? null : ended('delivered');
}

/** Named consumers may have asked for what is held, so nobody knows of them. */
function isHeldFrom({ programs }: Bot, { mark }: KnownUpdate, reader: string): boolean {
  if (mark === null || !isHeldMark(mark) || reader.startsWith('consumer:')) return false;
  const programId = programOfReader(reader);
  const seesHeld = programs.some(({ id, sees_held }) => id === programId && sees_held);
  return programId === null || (!seesHeld && !isMarkedFor(mark, programId));
}

/** The reason that keeps the update from this reader; null: none is known. */
function filterOf(bot: Bot, { mark, kind, isAllowed }: KnownUpdate, reader: string): string | null {
  const programId = programOfReader(reader);
  const owner = mark === null ? null : ownerOf(mark);
  if (reader === 'rules') return null;
  if (owner !== null && owner !== programId) return owner === 0 ? 'filter' : programReaderName(owner);
  if (programId === null) {
    const isDefault = reader === 'push' || reader === 'pull';
    return isDefault && isAllowed === false && owner === null ? 'allowed_updates' : null;
  }
  if (mark !== null && !isMarkedFor(mark, programId)) return 'filter';
  const program = bot.programs.find(({ id }) => id === programId);
  if (program === undefined || kind === null || owner === programId) return null;
  return isKindWanted(kindsOfProgram(program), kind) ? null : 'kinds';
}

const ended = (outcome: UpdateOutcome, filtered_by: string | null = null): Ended => ({ outcome, filtered_by });

/** The readers that the bot has, those that are on and those that only had the update. */
async function placesOf(
  { redis }: { redis: RedisHandles },
  bot: Bot,
  { lane, names }: KnownUpdate,
): Promise<{ place: Place; isOn: boolean }[]> {
  const keys = botKeys(bot.id);
  const pushing = bot.programs.filter(({ mode }) => mode === 'push').map(({ id }) => programKeys(bot.id, id));
  const lanes = [keys.lane, keys.rulesLane, ...pushing.map((program) => program.lane)];
  const looks =
    lane === null ? [] : lanes.flatMap((laneOf) => names.map((name): KeyCommand => ['lpos', laneOf(lane), name]));
  const [state, consumers, ...found] = (await redis.runMany([
    ['hmget', keys.state, 'pull', 'pullCursor', 'push', 'pushCursor', 'rules', 'rulesCursor'],
    ['hgetall', keys.consumers],
    ...pushing.map((program): KeyCommand => ['hget', program.state, 'pushCursor']),
    ...looks,
  ])) as [(string | null)[], Record<string, string>, ...(string | number | null)[]];
  const [pull, pullCursor, push, pushCursor, rules, rulesCursor] = state;
  const waits = (at: number) =>
    found
      .slice(pushing.length + at * names.length, pushing.length + (at + 1) * names.length)
      .some((place) => typeof place === 'number');
  const withLanes = (reader: string, cursor: unknown, at: number): Place => {
    return { reader, cursor: Number(cursor ?? 0), hasLanes: true, waitsInLane: lane !== null && waits(at) };
  };
  const polling = (reader: string, cursor: unknown): Place => {
    return { reader, cursor: Number(cursor ?? 0), hasLanes: false, waitsInLane: false };
  };
  const programs = bot.programs.map(({ id, mode }) => {
    const reader = programReaderName(id);
    const at = bot.programs.filter((one) => one.mode === 'push').findIndex((one) => one.id === id);
    const place = mode === 'push' ? withLanes(reader, found[at], 2 + at) : polling(reader, cursorIn(consumers[reader]));
    return { place, isOn: true };
  });
  const named = Object.entries(consumers).filter(([name]) => programOfReader(name) === null);
  return [
    { place: withLanes('push', pushCursor, 0), isOn: push === '1' },
    { place: polling('pull', pullCursor), isOn: pull === '1' },
    { place: withLanes('rules', rulesCursor, 1), isOn: rules === '1' },
    ...named.map(([name, stored]) => ({ place: polling(`consumer:${name}`, cursorIn(stored)), isOn: true })),
    ...programs,
  ];
}

function cursorIn(stored: string | undefined): number {
  return Number(stored?.split(' ')[0] ?? 0);
}

/** Programs that were added after the update came never had it. */
async function programsAfter(db: Database, botId: number, atMs: number | null): Promise<Set<number>> {
  if (atMs === null) return new Set();
  const rows = await db
    .selectFrom('programs')
    .select('id')
    .where('bot_id', '=', botId)
    .where('created_at', '>', new Date(atMs))
    .execute();
  return new Set(rows.map(({ id }) => id));
}
