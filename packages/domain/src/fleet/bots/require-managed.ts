import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Bot } from './bot.ts';

/** Throws 'bad_request' for a bot whose chats are not managed: no action there, no change of their records. */
export function requireManaged(bot: Bot): void {
  if (!bot.manage_enabled)
    throw new FlotillaError('bad_request', 'Managing chats is off for this bot (manage_enabled)');
}

/** Throws 'bad_request' for a bot that cannot act in any chat, because it is disabled or not managed. */
export function requireAbleToAct(bot: Bot): void {
  if (bot.disabled) throw new FlotillaError('bad_request', 'The bot is disabled');
  requireManaged(bot);
}
