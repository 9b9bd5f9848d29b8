import type { ErrorCode } from '@flotilla/contract/errors.ts';
import type { Actor } from '@flotilla/domain/audit/actor.ts';
import { addBot } from '@flotilla/domain/bots/add-bot.ts';
import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { ProxyDeps } from './proxy-deps.ts';

const NOT_VOUCHED_FOR: readonly ErrorCode[] = ['token_refused', 'platform_refused', 'bad_request'];

/**
 * Registers the bot of a token that set a webhook, after the platform has vouched for it. Null when the platform does
 * not know the token; throws FlotillaError when it did not say.
 */
export async function registerBot(deps: ProxyDeps, by: Actor, token: string): Promise<Bot | null> {
  try {
    return await addBot(deps, by, { token, source: 'cli' });
  } catch (error) {
    if (!(error instanceof FlotillaError)) throw error;
    if (NOT_VOUCHED_FOR.includes(error.code)) return null;
    if (error.code !== 'conflict') throw error;
    // Another replica was faster.
    await deps.directory.refresh();
    return deps.directory.byToken(token) ?? null;
  }
}
