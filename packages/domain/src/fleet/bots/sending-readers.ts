import { programReaderName } from './active-program.ts';
import type { Bot } from './bot.ts';

/** The readers of a bot that may have sent updates: they make attempts. */
export function sendingReaders({ programs }: Pick<Bot, 'programs'>): string[] {
  return ['push', 'rules', ...programs.map(({ id }) => programReaderName(id))];
}
