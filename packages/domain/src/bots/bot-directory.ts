import type { Bot } from './bot.ts';

/**
 * The process's full snapshot of the configuration. Reading it without a snapshot throws
 * FlotillaError('unavailable'): "unknown" must never be mistaken for "cannot know".
 */
export interface BotDirectory {
  byId(id: number): Bot | undefined;
  byToken(token: string): Bot | undefined;
  all(): Bot[];
  /** True if the platform's id belongs to a registered bot. */
  isOwnBot(telegramId: number): boolean;
  /** Calls back with the id of every bot that appears, changes or goes; returns a function that stops it. */
  onChange(listener: (botId: number) => void): () => void;
  ready(): boolean;
  /** Follows the mirror to at least this version before it resolves; a writer sees its own write. */
  refresh(): Promise<void>;
}
