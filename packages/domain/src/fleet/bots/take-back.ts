import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { requireAuditable } from '../../people/audit/require-auditable.ts';
import { type Bot, polls } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { NOW, patchBotState } from './patch-bot-state.ts';
import { foreignWebhookHost, removePlatformWebhook, setPlatformWebhook } from './platform-webhook.ts';

/**
 * Restores our intake at the platform, whatever webhook another service set there; updates that wait at the platform
 * are kept. Returns the host of that webhook, null if there was none. Throws FlotillaError.
 */
export async function takeBack(deps: BotDeps, by: Actor, bot: Bot): Promise<string | null> {
  if (bot.disabled) throw new FlotillaError('bad_request', 'The bot is disabled');
  await requireAuditable(deps.db);
  const host = await foreignWebhookHost(deps, bot);
  if (polls(bot)) await removePlatformWebhook(deps, bot);
  else await setPlatformWebhook(deps, bot);
  const details = host === null ? '' : `from ${host}`;
  await recordAction(deps, by, { action: 'take_back', bot_id: bot.id, details });
  await patchBotState(deps, bot, { foreignAt: 0, pollErr: '', pollTries: 0 });
  if (polls(bot)) await deps.turns.polling.wake(bot.id);
  else await patchBotState(deps, bot, { hookOkAt: NOW });
  return host;
}
