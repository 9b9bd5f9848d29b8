import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Bot } from './bot.ts';

/** Throws 'bad_request' for a bot whose chats are not managed: neither acted in nor changed in our records. */
export function requireManaged(bot: Bot): void {
  if (!bot.manageEnabled) throw new FlotillaError('bad_request', 'Managing chats is off for this bot (manage_enabled)');
}

/** Throws 'bad_request' for a bot that can act in no chat now: it is disabled, or its chats are not managed. */
export function requireAbleToAct(bot: Bot): void {
  if (bot.disabled) throw new FlotillaError('bad_request', 'The bot is disabled');
  requireManaged(bot);
}
