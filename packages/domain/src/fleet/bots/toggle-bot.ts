import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../../people/audit/actor.ts';
import type { Bot } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { changeBot } from './change-bot.ts';
import { switchIntake } from './switch-intake.ts';

/** Disables an enabled bot and enables a disabled one. Waiting updates are kept. Throws FlotillaError('not_found'). */
export async function toggleBot(deps: BotDeps, by: Actor, botId: number): Promise<Bot> {
  const bot = deps.directory.byId(botId);
  if (!bot) throw new FlotillaError('not_found', 'Bot not found');
  const changes = { disabled: !bot.disabled };
  try {
    return await switchIntake(deps, by, bot, changes);
  } catch (error) {
    // Disabling must work while the platform is down. Its pushes are then refused until the webhook is removed.
    if (bot.disabled || !(error instanceof FlotillaError) || error.code === 'unavailable') throw error;
    return changeBot(deps, by, botId, changes);
  }
}
