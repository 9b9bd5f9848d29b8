import { sha256Hex } from '@flotilla/runtime/digest.ts';
import type { ActiveProgram, ActiveToken } from './active-program.ts';
import type { Bot } from './bot.ts';

/** The program that a token belongs to. */
export type ProgramCredential = { bot: Bot; program: ActiveProgram; token: ActiveToken };

/** The platform's own tokens begin with AA after the colon. */
const PROGRAM_TOKEN = /^\d{1,20}:fv[\w-]{33}$/;

/** True for a text of the form of a program's token; the platform must not get to see it. */
export function isProgramToken(token: string): boolean {
  return PROGRAM_TOKEN.test(token);
}

/** The programs of all bots by id, and their tokens by hash. */
export type ProgramTokens = {
  put(bot: Bot): void;
  /** Removes what this bot has put and no other bot since. */
  remove(bot: Bot): void;
  find(token: string): ProgramCredential | undefined;
  /** The bot of a program. */
  botOf(programId: number): Bot | undefined;
};

export function programTokens(): ProgramTokens {
  const byHash = new Map<string, ProgramCredential>();
  /** Tokens that were found, so that a busy one is not hashed at each call. Forgotten when any bot with programs changes. */
  const byText = new Map<string, ProgramCredential>();
  const botById = new Map<number, Bot>();
  return {
    put(bot) {
      for (const program of bot.programs) {
        botById.set(program.id, bot);
        for (const token of program.tokens) byHash.set(token.hash, { bot, program, token });
      }
    },
    remove(bot) {
      if (bot.programs.length > 0) byText.clear();
      for (const { id, tokens } of bot.programs) {
        if (botById.get(id)?.id === bot.id) botById.delete(id);
        for (const { hash } of tokens) if (byHash.get(hash)?.bot.id === bot.id) byHash.delete(hash);
      }
    },
    botOf: (programId) => botById.get(programId),
    find(token) {
      const known = byText.get(token);
      if (known !== undefined) return known;
      const found = isProgramToken(token) ? byHash.get(sha256Hex(token)) : undefined;
      // A copy, because a part of a URL keeps the whole URL in memory.
      if (found !== undefined) byText.set(Buffer.from(token).toString(), found);
      return found;
    },
  };
}
