import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { AtServer } from '@flotilla/telegram/platform-server.ts';
import { serverOfName } from '../upstreams/server-of-name.ts';
import type { Bot } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { validateToken } from './validate-token.ts';

/** Throws FlotillaError unless the server of the bot says that this token is the bot's. */
export async function requireTokenOf(
  deps: Pick<BotDeps, 'platform' | 'servers'>,
  bot: Bot,
  token: string,
): Promise<void> {
  requireSettled(bot);
  const identity = await validateToken(deps, token, serverOfToken(deps, bot));
  if (identity.id === bot.telegram_id) return;
  throw new FlotillaError('bad_request', 'This token belongs to another bot', {
    details: [{ path: 'token', reason: 'belongs to another bot' }],
  });
}

/** Throws 'conflict' while a step of a move would go on with the old token. */
export function requireSettled({ moving }: Pick<Bot, 'moving'>): void {
  if (!moving || moving.step === 'drain' || moving.step === 'log_in') return;
  throw new FlotillaError('conflict', 'The bot is being logged out or in: change its token in a few seconds');
}

/** A bot that was logged out must not be logged in again where it was. */
function serverOfToken(deps: Pick<BotDeps, 'servers'>, bot: Bot): AtServer {
  return bot.moving?.step === 'log_in' ? serverOfName(deps, bot.moving.to, bot.environment) : bot;
}
