import type { Bot } from './bot.ts';
import type { ProgramCredential } from './program-credential.ts';

/**
 * The process's full snapshot of the configuration. Reading it before it is loaded throws FlotillaError('unavailable'),
 * so that nobody takes a missing snapshot for an unknown bot.
 */
export interface BotDirectory {
  byId(id: number): Bot | undefined;
  byToken(token: string): Bot | undefined;
  /** The program that has this token; undefined if none does. */
  byProgramToken(token: string): ProgramCredential | undefined;
  /** The bot that has this program. */
  byProgram(programId: number): Bot | undefined;
  all(): Bot[];
  /** True if the platform's id belongs to a registered bot. */
  isOwnBot(telegramId: number): boolean;
  /** Calls `listener` with the id of every bot that is added, changed or removed. Returns a function that stops it. */
  onChange(listener: (botId: number) => void): () => void;
  ready(): boolean;
  /** True if the snapshot was the newest within the last 4 s: before that, what it knows may have been revoked. */
  isConfirmed(): boolean;
  /** Resolves when the snapshot has at least the mirror's present version, so that a writer sees its own write. */
  refresh(): Promise<void>;
}
