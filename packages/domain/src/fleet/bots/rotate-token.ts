import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { requireAuditable } from '../../people/audit/require-auditable.ts';
import type { Bot } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { keepManagedToken, managedToken } from './managed-token.ts';
import { newestBot } from './newest-bot.ts';
import { requireSettled } from './token-of-bot.ts';

/**
 * Gives a bot another token at the platform, by the bot that manages it. If the platform has another one than we have, that is
 * stored instead: the process of an earlier rotation died before it stored it, or the owner replaced it. Throws FlotillaError.
 */
export async function rotateToken(deps: BotDeps, by: Actor, known: Bot): Promise<Bot> {
  const bot = await newestBot(deps, known);
  const parent = bot.parent_bot_id === null ? undefined : deps.directory.byId(bot.parent_bot_id);
  if (parent === undefined) {
    throw new FlotillaError(
      'bad_request',
      'No bot here manages this one: get a new token from BotFather, and give it with POST /api/bots/update',
    );
  }
  requireSettled(bot);
  await requireAuditable(deps.db);
  const present = await managedToken(deps, parent, bot.telegram_id);
  const token =
    present === bot.token ? await managedToken(deps, parent, bot.telegram_id, 'replaceManagedBotToken') : present;
  return keepManagedToken(deps, by, { parent, bot, token }, {}, { action: 'rotate_token' });
}
