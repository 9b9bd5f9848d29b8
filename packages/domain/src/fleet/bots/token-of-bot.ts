import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { AtServer } from '@flotilla/telegram/platform-server.ts';
import { saysLoggedOut } from '../upstreams/logged-out.ts';
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
  const identity = await validateToken(deps, token, serverOfToken(deps, bot)).catch((error: unknown) => {
    throw isTakenBackLater(bot, error) ? new FlotillaError('conflict', TAKEN_BACK_LATER) : error;
  });
  if (identity.id === bot.telegram_id) return;
  throw new FlotillaError('bad_request', 'This token belongs to another bot', {
    details: [{ path: 'token', reason: 'belongs to another bot' }],
  });
}

/** Throws 'conflict' while a token that is asked for would log the bot in where it is being logged out. */
export function requireSettled({ moving }: Pick<Bot, 'moving'>): void {
  if (moving?.step !== 'log_out') return;
  throw new FlotillaError('conflict', 'The bot is being logged out: change its token in a few seconds');
}

const TAKEN_BACK_LATER = 'The next server takes the bot back in some minutes, and tells only then whose token this is';

/** The cloud says nothing of a bot for ten minutes after it left, whatever its token. */
function isTakenBackLater({ moving }: Pick<Bot, 'moving'>, error: unknown): boolean {
  return moving?.step === 'log_in' && error instanceof FlotillaError && saysLoggedOut(error.message);
}

/** A bot that was logged out must not be logged in again where it was. */
function serverOfToken(deps: Pick<BotDeps, 'servers'>, bot: Bot): AtServer {
  return bot.moving?.step === 'log_in' ? serverOfName(deps, bot.moving.to, bot.environment) : bot;
}
