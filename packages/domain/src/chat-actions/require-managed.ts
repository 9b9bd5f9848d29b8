import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import type { Bot } from '../bots/bot.ts';

/** Throws 'bad_request' for a bot whose chats cannot be managed now. */
export function requireManaged(bot: Bot): void {
  if (bot.disabled) throw new FlotillaError('bad_request', 'The bot is disabled');
  if (!bot.manageEnabled) throw new FlotillaError('bad_request', 'Managing chats is off for this bot (manage_enabled)');
}
