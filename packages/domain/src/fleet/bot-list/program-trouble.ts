import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, shardOf } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Bot } from '../bots/bot.ts';

/** How many programs of a bot do not get their updates. A paused program is not in trouble. */
export type ProgramTrouble = {
  /** Their backends fail. */
  failing: number;
  /** They stayed behind their limit, and what waited for them became dead letters. */
  parked: number;
};

export type TroubleByBot = ReadonlyMap<number, ProgramTrouble | null>;

type Member = { botId: number; programId: number };

/** Redis serves nobody else during a script. */
const PROGRAMS_OF_A_SCRIPT = 200;

/** Of each bot, null if nothing is wrong. Only bots with programs cost Redis anything. `atOnce`: all scripts together. */
export async function readProgramTrouble(
  { redis }: { redis: Pick<RedisHandles, 'commands'> },
  bots: readonly Bot[],
  atOnce = true,
): Promise<TroubleByBot> {
  const found = new Map<number, ProgramTrouble | null>(bots.map(({ id }) => [id, null]));
  const read = async (members: Member[]): Promise<void> => {
    const programs = members.map(({ botId, programId }) => `${botId}:${programId}`).join(' ');
    const letters = await scripts.readProgramTrouble(redis.commands, botKeys(members[0]!.botId), { programs });
    for (const [at, { botId }] of members.entries()) {
      const known = found.get(botId) ?? { failing: 0, parked: 0 };
      if (letters[at] === 'f') found.set(botId, { ...known, failing: known.failing + 1 });
      if (letters[at] === 'p') found.set(botId, { ...known, parked: known.parked + 1 });
    }
  };
  const groups = groupsOf(bots);
  if (atOnce) await Promise.all(groups.map(read));
  else for (const members of groups) await read(members);
  return found;
}

/** The programs that are not paused, grouped for one script each. */
function groupsOf(bots: readonly Bot[]): Member[][] {
  const ofShard: Member[][] = [];
  const groups: Member[][] = [];
  for (const bot of bots) {
    if (bot.disabled) continue;
    for (const { id: programId, enabled } of bot.programs) {
      if (!enabled) continue;
      const shard = shardOf(bot.id);
      let members = ofShard[shard];
      if (members === undefined || members.length === PROGRAMS_OF_A_SCRIPT) {
        members = [];
        ofShard[shard] = members;
        groups.push(members);
      }
      members.push({ botId: bot.id, programId });
    }
  }
  return groups;
}
