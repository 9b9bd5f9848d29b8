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
  options: { dropPending: boolean; allowedUpdates?: string[] | null; reason?: string },
): Promise<'deleted' | 'already-deleted'> {
  const bot = await newestBot(deps, known);
  const had = bot.backendUrl !== '';
  const { allowedUpdates } = options;
  if (!had && !options.dropPending && !bot.proxyEnabled) {
    if (allowedUpdates !== undefined) await changeBot(deps, by, bot.id, { allowedUpdates });
    return 'already-deleted';
  }
  await changeBot(
    deps,
    by,
    bot.id,
    {
      backendUrl: '',
      secretToken: '',
      backendCertificate: '',
      backendIpAddress: '',
      proxyEnabled: false,
      ...(allowedUpdates === undefined ? {} : { allowedUpdates }),
    },
    { handOver: true, dropPending: options.dropPending, retryNow: true, reason: options.reason ?? '' },
  );
  return had ? 'deleted' : 'already-deleted';
}
