import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import type { Bot } from '@flotilla/domain/bots/bot.ts';
import type { Context } from '../../context.ts';

/** The bot of an id; throws 'not_found'. */
export function requireBot({ directory }: Context, id: number): Bot {
  const bot = directory.byId(id);
  if (bot === undefined) throw new FlotillaError('not_found', 'Bot not found');
  return bot;
}
