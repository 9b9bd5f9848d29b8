import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { AtServer } from '@flotilla/telegram/platform-server.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { requireMovable } from '../upstreams/require-movable.ts';
import { movesBot, serverOfName } from '../upstreams/server-of-name.ts';
import type { Bot, BotChanges } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import type { BotCheck } from './change-bot.ts';
import { checkChanges } from './check-changes.ts';
import { requireManager } from './managed-token.ts';
import { withoutMasks } from './masked-secrets.ts';
import { baseForPushes } from './platform-webhook.ts';
import { switchIntake } from './switch-intake.ts';
import { validateToken } from './validate-token.ts';

/**
 * Changes a bot, except for secrets that were sent back masked. A new token must belong to the same bot at the
 * platform. `check` refuses what the change would meet. Throws FlotillaError.
 */
export async function updateBot(
  deps: BotDeps,
  by: Actor,
  botId: number,
  wanted: BotChanges,
  check?: BotCheck,
): Promise<Bot> {
  const bot = deps.directory.byId(botId);
  if (!bot) throw new FlotillaError('not_found', 'Bot not found');
  // Also now, because the platform is told of a new way of intake before the change is stored.
  check?.(bot);
  const changes = withoutMasks(bot, wanted);
  if (bot.moving) refuseWhileMoving(bot, changes);
  checkChanges(deps, changes, bot, baseForPushes(deps, { upstream: changes.upstream ?? bot.upstream }));
  if (changes.token !== undefined && changes.token !== bot.token) {
    const identity = await validateToken(deps, changes.token, serverOfToken(deps, bot));
    if (identity.id !== bot.telegram_id) {
      throw new FlotillaError('bad_request', 'This token belongs to another bot', {
        details: [{ path: 'token', reason: 'belongs to another bot' }],
      });
    }
  }
  if (changes.adopts && !bot.adopts) requireManager(await validateToken(deps, changes.token ?? bot.token, bot));
  if (movesBot(bot, changes)) await requireMovable(deps, bot, changes);
  if (changes.backend_url === undefined || changes.backend_url === bot.backend_url)
    return switchIntake(deps, by, bot, changes, { check });
  // Neither the certificate, the address nor the failures of the old backend are those of the new one.
  return switchIntake(
    deps,
    by,
    bot,
    { backend_certificate: '', backend_ip_address: '', ...changes },
    { retryNow: true, check },
  );
}

/** The step would go on with the old token, or at the wrong server. */
function refuseWhileMoving(bot: Bot, changes: BotChanges): void {
  if (movesBot(bot, changes)) {
    throw new FlotillaError('conflict', 'The bot moves: send it elsewhere with POST /api/bots/move');
  }
  const isSettled = bot.moving?.step === 'drain' || bot.moving?.step === 'log_in';
  const { token } = changes;
  if (token !== undefined && token !== bot.token && !isSettled) {
    throw new FlotillaError('conflict', 'The bot is being logged out or in: change its token in a few seconds');
  }
}

/** A bot that was logged out must not be logged in again where it was. */
function serverOfToken(deps: BotDeps, bot: Bot): AtServer {
  return bot.moving?.step === 'log_in' ? serverOfName(deps, bot.moving.to, bot.environment) : bot;
}
