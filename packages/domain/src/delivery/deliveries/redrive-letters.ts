import type { DeadLetter, FailedDestination } from '@flotilla/contract/deliveries.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, programKeys } from '@flotilla/redis/keys.ts';
import { type RedriveArgs, scripts } from '@flotilla/redis/script-calls.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { readObject } from '@flotilla/telegram/platform-fields.ts';
import { sliceUpdate } from '@flotilla/telegram/slice-updates.ts';
import { readUpdateFacts } from '@flotilla/telegram/update-facts.ts';
import { programReaderName } from '../../fleet/bots/active-program.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import { BACKLOG_LIMIT, TIGHT_BACKLOG_LIMIT } from '../../fleet/memory/memory-pressure.ts';
import type { MemoryWatch } from '../../fleet/memory/watch-memory.ts';
import { byteRange } from '../intake/accept-updates.ts';
import type { IdReserve } from '../intake/id-reserve.ts';

type Reader = { reader: 'push' | 'rules' | 'program'; program_id: number | null };
export type RedriveDeps = {
  redis: RedisHandles;
  turns: { push: TurnQueue; programs: TurnQueue; rules: TurnQueue };
  memory: Pick<MemoryWatch, 'pressure' | 'wrote'>;
  idReserve: IdReserve;
};

/** A redriven update lives as long as a new one of the longest-lived kind. */
const LIFE_MS = 86_400_000;
/** Far longer than it takes until another process continues a redrive whose process has ended. */
const KNOWN_FOR_MS = 7 * 86_400_000;
const RETRY_AFTER_S = 10;

/**
 * Gives failed deliveries back to their reader, behind the waiting updates and in the order given: in its lanes, or at the end
 * of the log with new update ids if it polls. 'off' when nobody would get them; 'full' when so many updates wait for a
 * reader that polls that more would soon stop intake or park a program. Lanes take any number: while more wait in them than the intake of
 * the bot allows, the platform keeps its new updates. A letter that is redriven twice, because the caller could not remove it, is sent
 * once. Throws FlotillaError('unavailable') while Redis has no room or lacks the bot.
 */
export async function redriveLetters(
  deps: RedriveDeps,
  { reader, program_id }: Reader,
  bot: Bot,
  letters: DeadLetter[],
): Promise<'in_lanes' | 'in_log' | 'off' | 'full'> {
  const pressure = deps.memory.pressure();
  if (pressure === 'short' || pressure === 'scarce') throw unavailable('Redis has no room for failed deliveries');
  deps.memory.wrote(letters.reduce((bytes, { payload }) => bytes + payload.length, 0));
  const keys = botKeys(bot.id);
  const ofProgram = program_id === null ? null : programKeys(bot.id, program_id);
  const { lanes, lane, redriven } =
    reader === 'rules'
      ? { lanes: keys.rulesLanes, lane: keys.rulesLane, redriven: keys.rulesRedriven }
      : (ofProgram ?? keys);
  const scriptKeys = { ...keys, lanes, redriven, program: ofProgram?.state ?? null };
  const args = {
    ...registrationOf(bot),
    lanePrefix: lane(''),
    keepMs: LIFE_MS,
    reader: program_id === null ? reader : programReaderName(program_id),
    knownForMs: KNOWN_FOR_MS,
    limit: (pressure === 'relaxed' ? BACKLOG_LIMIT : TIGHT_BACKLOG_LIMIT) / 2,
    letters: letters.map((letter) => letterArguments(reader, letter)),
  };
  let reply = await scripts.redrive(deps.redis.commands, scriptKeys, { ...args, reservedId: null });
  if (reply.outcome === 'DOUBT') {
    const reservedId = await deps.idReserve.reservedFor(bot);
    reply = await scripts.redrive(deps.redis.commands, scriptKeys, { ...args, reservedId });
  }
  switch (reply.outcome) {
    case 'OFF':
      return 'off';
    case 'FULL':
      return 'full';
    case 'GONE':
    case 'DOUBT':
      throw unavailable('The bot is not set up in Redis');
    case 'LOG':
      if (reply.reserveIds) deps.idReserve.reserveAbove(bot, reply.lastId);
      if (reply.wakePush) await deps.turns.push.wake(bot.id);
      if (reply.wakeRules) await deps.turns.rules.wake(bot.id);
      return 'in_log';
    case 'LANES':
      if (program_id === null) await deps.turns[reader === 'rules' ? 'rules' : 'push'].wake(bot.id);
      else await deps.turns.programs.wake(program_id);
      return 'in_lanes';
  }
}

/** Forgets the ids of redriven letters, once these are no longer in Postgres. What this cannot forget expires. */
export async function forgetRedriven({ redis }: RedriveDeps, botId: number, letters: DeadLetter[]): Promise<void> {
  await redis.commands.srem(botKeys(botId).justRedriven, ...letters.map(({ id }) => id)).catch(() => 0);
}

function unavailable(reason: string): FlotillaError {
  return new FlotillaError('unavailable', reason, { retryAfterS: RETRY_AFTER_S });
}

function letterArguments(reader: Reader['reader'], letter: DeadLetter): RedriveArgs['letters'][number] {
  const sliced = sliceUpdate(letter.payload);
  const update = sliced?.value ?? {};
  const { kind, lane } = readUpdateFacts(update);
  const ids = sliced === null ? { idStart: null, idEnd: null } : byteRange(sliced);
  const isForRules = reader === 'rules';
  return {
    letterId: letter.id,
    id: letter.update_id,
    kind,
    lane,
    raw: sliced?.raw ?? letter.payload,
    progress: isForRules ? JSON.stringify(progressOf(letter)) : '',
    album: isForRules ? String(readObject(update, kind)?.media_group_id ?? '') : '',
    exclusive: letter.exclusive,
    ...ids,
  };
}

/** A failed delivery of rules names its failed destinations. Without names, the update goes to all of them. */
function progressOf({ destinations }: DeadLetter): { only?: string[]; to: object } {
  if (destinations === null) return { to: {} };
  return { only: (JSON.parse(destinations) as FailedDestination[]).map(({ name }) => name), to: {} };
}
