import type { BotResource } from '@flotilla/contract/resources/bot.ts';
import type { Caller } from '@flotilla/domain/accounts/caller.ts';
import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { type BotStatus, readBotStatus } from '@flotilla/domain/bots/bot-status.ts';
import { maskedSecrets } from '@flotilla/domain/bots/masked-secrets.ts';
import type { Context } from '../../context.ts';

/** The bot with its state as it is now. */
export async function presentBotNow(context: Context, caller: Caller, bot: Bot): Promise<BotResource> {
  return presentBot(caller, bot, await readBotStatus(context, bot));
}

/** Secrets are whole for programs of admins only: no page in a browser holds the tokens of a fleet. */
export function presentBot(caller: Caller, bot: Bot, status: BotStatus): BotResource {
  const seesSecrets = caller.role === 'admin' && caller.apiKey !== null;
  const secrets = seesSecrets ? bot : maskedSecrets(bot);
  return {
    id: bot.id,
    token: secrets.token,
    name: bot.name,
    username: bot.username,
    source: bot.source,
    manage_enabled: bot.manageEnabled,
    proxy_enabled: bot.proxyEnabled,
    backend_url: secrets.backendUrl,
    secret_token: secrets.secretToken,
    long_poll_enabled: bot.longPollEnabled,
    description: bot.description,
    running: status.running,
    webhook_mode: bot.webhookMode,
    disabled: bot.disabled,
    max_connections: bot.maxConnections,
    ...(bot.allowedUpdates === null ? {} : { allowed_updates: bot.allowedUpdates }),
    last_error: status.lastError?.message ?? '',
    ...(status.lastError === null ? {} : { last_error_at: new Date(status.lastError.atMs).toISOString() }),
    ...(status.lastUpdateAtMs === null ? {} : { last_update_at: new Date(status.lastUpdateAtMs).toISOString() }),
    pending_update_count: status.pendingUpdateCount,
    backend_state: status.backendState,
    created_at: bot.createdAt.toISOString(),
  };
}
