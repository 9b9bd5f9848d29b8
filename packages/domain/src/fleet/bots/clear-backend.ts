import type { Actor } from '../../people/audit/actor.ts';
import type { Bot } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { changeBot } from './change-bot.ts';
import { newestBot } from './newest-bot.ts';

/** deleteWebhook: removes the backend and turns proxy mode off. Pull continues at push's cursor. */
export async function clearBackend(
  deps: BotDeps,
  by: Actor,
  known: Bot,
  options: { dropPending: boolean; allowed_updates?: string[] | null; reason?: string },
): Promise<'deleted' | 'already-deleted'> {
  const bot = await newestBot(deps, known);
  const had = bot.backend_url !== '';
  const { allowed_updates } = options;
  if (!had && !options.dropPending && !bot.proxy_enabled) {
    if (allowed_updates !== undefined) await changeBot(deps, by, bot.id, { allowed_updates });
    return 'already-deleted';
  }
  await changeBot(
    deps,
    by,
    bot.id,
    {
      backend_url: '',
      secret_token: '',
      backend_certificate: '',
      backend_ip_address: '',
      proxy_enabled: false,
      ...(allowed_updates === undefined ? {} : { allowed_updates }),
    },
    { handOver: true, dropPending: options.dropPending, retryNow: true, reason: options.reason ?? '' },
  );
  return had ? 'deleted' : 'already-deleted';
}
