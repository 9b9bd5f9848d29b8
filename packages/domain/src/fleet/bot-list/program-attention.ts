import type { AttentionKind } from '@flotilla/contract/attention.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, shardOf } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { ActiveProgram } from '../bots/active-program.ts';
import type { Bot } from '../bots/bot.ts';
import { kindsOfProgram, wantedKinds } from '../bots/wanted-kinds.ts';

/** A program of a bot that does not get its updates. A paused program needs no attention. */
export type ProgramAttention = {
  kind: Extract<AttentionKind, `program_${string}`>;
  program: ActiveProgram;
  sinceMs: number;
  waiting: number;
};

export type ProgramAttentionByBot = ReadonlyMap<number, readonly ProgramAttention[]>;

type Member = { bot: Bot; program: ActiveProgram };

const KINDS = { f: 'program_failing', p: 'program_parked', s: 'program_silent' } as const;
const DEFAULT_KINDS = wantedKinds('default');
const NOTHING: readonly ProgramAttention[] = [];
/** Redis serves nobody else during a script. */
const PROGRAMS_OF_A_SCRIPT = 200;

/** Only bots with programs cost Redis anything. `atOnce`: all scripts together. */
export async function readProgramAttention(
  { redis }: { redis: Pick<RedisHandles, 'commands'> },
  bots: readonly Bot[],
  atOnce = true,
): Promise<ProgramAttentionByBot> {
  const found = new Map<number, readonly ProgramAttention[]>(bots.map(({ id }) => [id, NOTHING]));
  const read = async (members: Member[]): Promise<void> => {
    const programs = members.map(({ bot, program }) => {
      return `${bot.id}:${program.id}:${program.silent_after_s * 1000}:${kindsOf(program)}`;
    });
    const args = { programs: programs.join(' '), defaultKinds: DEFAULT_KINDS };
    const text = await scripts.readProgramAttention(redis.commands, botKeys(members[0]!.bot.id), args);
    for (const [at, value] of text.split(' ').entries()) {
      if (value === '-') continue;
      const { bot, program } = members[at]!;
      found.set(bot.id, [...(found.get(bot.id) ?? NOTHING), attentionOf(program, value)]);
    }
  };
  const groups = groupsOf(bots);
  if (atOnce) await Promise.all(groups.map(read));
  else for (const members of groups) await read(members);
  return found;
}

/** A short text for almost all of the thousands of programs that are asked for together. */
function kindsOf(program: ActiveProgram): string {
  if (program.mode === 'push' || program.silent_after_s === 0) return '';
  return program.kinds.length === 0 ? 'd' : kindsOfProgram(program);
}

function attentionOf(program: ActiveProgram, value: string): ProgramAttention {
  const [sinceMs, waiting] = value.slice(1).split(':').map(Number);
  return { kind: KINDS[value[0] as keyof typeof KINDS], program, sinceMs: sinceMs!, waiting: waiting! };
}

/** The programs that are not paused, grouped for one script each. */
function groupsOf(bots: readonly Bot[]): Member[][] {
  const ofShard: Member[][] = [];
  const groups: Member[][] = [];
  for (const bot of bots) {
    if (bot.disabled) continue;
    for (const program of bot.programs) {
      if (!program.enabled) continue;
      const shard = shardOf(bot.id);
      let members = ofShard[shard];
      if (members === undefined || members.length === PROGRAMS_OF_A_SCRIPT) {
        members = [];
        ofShard[shard] = members;
        groups.push(members);
      }
      members.push({ bot, program });
    }
  }
  return groups;
}
