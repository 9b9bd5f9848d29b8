import type { BotResource } from '@flotilla/contract/resources/bot.ts';
import type { Caller } from '@flotilla/domain/accounts/caller.ts';
import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { type BotStatus, readBotStatus } from '@flotilla/domain/bots/bot-status.ts';
import { maskedBackendUrl } from '@flotilla/domain/bots/masked-backend-url.ts';
import type { Context } from '../../context.ts';

/** The bot with its state as it is now. */
export async function presentBotNow(context: Context, caller: Caller, bot: Bot): Promise<BotResource> {
  return presentBot(caller, bot, await readBotStatus(context, bot));
}

export function presentBot(caller: Caller, bot: Bot, status: BotStatus): BotResource {
  const masked = caller.role !== 'admin';
  return {
    id: bot.id,
    token: masked ? maskedToken(bot.token) : bot.token,
    name: bot.name,
    username: bot.username,
    source: bot.source,
    manage_enabled: bot.manageEnabled,
    proxy_enabled: bot.proxyEnabled,
    backend_url: masked ? maskedBackendUrl(bot) : bot.backendUrl,
    secret_token: masked ? maskedSecret(bot.secretToken) : bot.secretToken,
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

/** `123456:****`: the part before the colon is the bot's public id. */
function maskedToken(token: string): string {
  return `${token.split(':', 1)[0]}:****`;
}

function maskedSecret(secret: string): string {
  return secret === '' ? '' : '****';
}
