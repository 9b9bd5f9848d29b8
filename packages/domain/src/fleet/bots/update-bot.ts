import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { requireMovable } from '../upstreams/require-movable.ts';
import { movesBot } from '../upstreams/server-of-name.ts';
import type { Bot, BotChanges } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import type { BotCheck } from './change-bot.ts';
import { checkChanges } from './check-changes.ts';
import { requireManager } from './managed-token.ts';
import { withoutMasks } from './masked-secrets.ts';
import { baseForPushes } from './platform-webhook.ts';
import { switchIntake } from './switch-intake.ts';
import { requireSettled, requireTokenOf } from './token-of-bot.ts';
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
  const changes = withoutMasks(bot, wanted);
  if (bot.moving && movesBot(bot, changes)) {
    throw new FlotillaError('conflict', 'The bot moves: send it elsewhere with POST /api/bots/move');
  }
  const token = changes.token === bot.token ? undefined : changes.token;
  if (token !== undefined) requireSettled(bot);
  checkChanges(deps, changes, bot, baseForPushes(deps, { upstream: changes.upstream ?? bot.upstream }));
  if (token !== undefined) await requireTokenOf(deps, bot, token);
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
