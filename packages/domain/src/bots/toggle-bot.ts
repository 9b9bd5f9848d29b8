import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import type { Bot } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { changeBot } from './change-bot.ts';

/** Disables an enabled bot and the other way round. What waits is kept. Throws FlotillaError('not_found'). */
export async function toggleBot(deps: BotDeps, botId: number): Promise<Bot> {
  const bot = deps.directory.byId(botId);
  if (!bot) throw new FlotillaError('not_found', 'Bot not found');
  return changeBot(deps, botId, { disabled: !bot.disabled });
}
