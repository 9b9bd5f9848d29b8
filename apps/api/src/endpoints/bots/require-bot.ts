import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { requireManaged } from '@flotilla/domain/bots/require-managed.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../../context.ts';

/** The bot of an id; throws 'not_found'. */
export function requireBot({ directory }: Context, id: number): Bot {
  const bot = directory.byId(id);
  if (bot === undefined) throw new FlotillaError('not_found', 'Bot not found');
  return bot;
}

/** The same of a bot whose chats are managed; throws 'bad_request' for another. */
export function requireManagedBot(context: Context, id: number): Bot {
  const bot = requireBot(context, id);
  requireManaged(bot);
  return bot;
}
