import { setTimeout as delay } from 'node:timers/promises';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, shardOf } from '@flotilla/redis/keys.ts';
import { type BehindRow, scripts } from '@flotilla/redis/script-calls.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import { kindsOfProgram } from '../../fleet/bots/wanted-kinds.ts';
import { TIGHT_BACKLOG_LIMIT } from '../../fleet/memory/memory-pressure.ts';
import type { MemoryWatch } from '../../fleet/memory/watch-memory.ts';

export type ParkDeps = {
  redis: RedisHandles;
  directory: BotDirectory;
  turns: { programs: TurnQueue; history: TurnQueue };
  memory: Pick<MemoryWatch, 'pressure'>;
  log: Logger;
};

const BOTS_AT_ONCE = 100;
const BATCH = 200;
/** The pause between two batches, in which Redis serves others. */
const PAUSE_MS = 5;
/** If a program needs more batches, the next round continues with it. */
const BATCHES_AT_MOST = 2_000;
/** A program may stay behind, or not poll, for so long. */
const LIMIT_HOURS = 24;
const HOUR_MS = 3_600_000;
/** While memory is tight: long enough for a working program to catch up, because intake of its bot is stopped. */
const TIGHT_FOR_MS = 30_000;

/**
 * Parks the programs for which more updates wait than `limit`, or for too long: what waits for them becomes dead letters,
 * in batches, until the signal aborts. Also wakes programs with new updates that nobody woke.
 */
export async function parkPrograms(deps: ParkDeps, limit: number, signal: AbortSignal): Promise<void> {
  const bots = deps.directory.all().filter(({ programs }) => programs.length > 0);
  for (let from = 0; from < bots.length && !signal.aborted; from += BOTS_AT_ONCE) {
    await Promise.all(bots.slice(from, from + BOTS_AT_ONCE).map((bot) => checkBot(deps, bot, limit, signal)));
  }
}

async function checkBot(deps: ParkDeps, bot: Bot, limit: number, signal: AbortSignal): Promise<void> {
  const keys = botKeys(bot.id);
  const found = await scripts.checkPrograms(deps.redis.commands, keys, {
    ...registrationOf(bot),
    programPrefix: keys.programPrefix,
    limit,
    limitMs: LIMIT_HOURS * HOUR_MS,
    tightLimit: deps.memory.pressure() === 'relaxed' ? null : TIGHT_BACKLOG_LIMIT,
    tightForMs: TIGHT_FOR_MS,
  });
  if (found.outcome !== 'OK') return;
  const { newestId, wakePrograms, behind } = found;
  if (wakePrograms.length > 0) await deps.turns.programs.wakeAll(wakePrograms);
  for (const one of behind) {
    if (!signal.aborted) await park(deps, bot, one, { upTo: newestId, mayWait: limit, signal });
  }
}

type Parking = { upTo: number; mayWait: number; signal: AbortSignal };

async function park(deps: ParkDeps, bot: Bot, { programId, limit }: BehindRow, { upTo, mayWait, signal }: Parking) {
  const program = bot.programs.find(({ id }) => id === programId);
  if (program === undefined) return;
  const keys = botKeys(bot.id);
  const reason = `the program was parked: ${whyBehind(limit, mayWait)}`;
  let deadLetters = 0;
  for (let batches = 0; batches < BATCHES_AT_MOST && !signal.aborted; batches += 1) {
    const parked = await scripts.parkProgram(deps.redis.commands, keys, {
      ...registrationOf(bot),
      programPrefix: keys.programPrefix,
      programId,
      upTo,
      limit: BATCH,
      kinds: kindsOfProgram(program),
      reason,
    });
    if (parked.outcome !== 'OK') return;
    deadLetters += parked.deadLetters;
    if (parked.wakeHistory) await deps.turns.history.wake(shardOf(bot.id));
    if (!parked.more) break;
    await delay(PAUSE_MS);
  }
  deps.log.warn({ bot: bot.id, program: programId, deadLetters }, reason);
}

function whyBehind(limit: BehindRow['limit'], mayWait: number): string {
  switch (limit) {
    case 'updates':
      return `more than ${mayWait} updates waited for it`;
    case 'time':
      return `for more than ${LIMIT_HOURS} hours it was behind or did not poll`;
    case 'memory':
      return 'Redis is short of memory, and what waited for it would have stopped the intake of the bot';
  }
}
