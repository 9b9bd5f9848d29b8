import type { BotResource } from '@flotilla/contract/bots.ts';
import type { BotStatus } from '@flotilla/domain/fleet/bot-list/bot-status.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { maskedSecrets } from '@flotilla/domain/fleet/bots/masked-secrets.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { presentAttention } from './present-attention.ts';

/** Only API keys of admins get secrets unmasked, so that no page in a browser holds the tokens of a fleet. */
export function seesSecrets(caller: Caller): boolean {
  return caller.role === 'admin' && caller.apiKey !== null;
}

/** The bot as this caller sees it. */
export function presentBot(caller: Caller, bot: Bot, status: BotStatus): BotResource {
  return presentBotTo(seesSecrets(caller) ? 'who sees secrets' : 'others', bot, status);
}

function intakeOf(bot: Bot, { foreignWebhook, intakeSinceMs }: BotStatus): BotResource['intake'] {
  const sinceMs = foreignWebhook?.sinceMs ?? intakeSinceMs ?? bot.created_at.getTime();
  return {
    way: bot.webhook_mode ? 'webhook' : 'polling',
    ...(foreignWebhook === null ? {} : { foreign_webhook_host: foreignWebhook.host }),
    since: new Date(sinceMs).toISOString(),
  };
}

/** The bot as all callers of one of these two kinds see it. */
export function presentBotTo(audience: 'who sees secrets' | 'others', bot: Bot, status: BotStatus): BotResource {
  const secrets = audience === 'who sees secrets' ? bot : maskedSecrets(bot);
  return {
    id: bot.id,
    token: secrets.token,
    name: bot.name,
    username: bot.username,
    source: bot.source,
    manage_enabled: bot.manage_enabled,
    proxy_enabled: bot.proxy_enabled,
    backend_url: secrets.backend_url,
    secret_token: secrets.secret_token,
    signing_enabled: bot.signing !== null,
    long_poll_enabled: bot.long_poll_enabled,
    description: bot.description,
    running: status.running,
    webhook_mode: bot.webhook_mode,
    intake: intakeOf(bot, status),
    disabled: bot.disabled,
    max_connections: bot.max_connections,
    silent_after_s: bot.silent_after_s,
    flood: bot.flood,
    pace: {
      per_second: bot.pace.per_second,
      per_chat_second: bot.pace.per_chat_second,
      per_group_minute: bot.pace.per_group_minute,
    },
    flood_until: status.floodUntilMs === null ? null : new Date(status.floodUntilMs).toISOString(),
    ...(bot.allowed_updates === null ? {} : { allowed_updates: bot.allowed_updates }),
    last_error: status.lastError?.message ?? '',
    ...(status.lastError === null ? {} : { last_error_at: new Date(status.lastError.atMs).toISOString() }),
    ...(status.lastUpdateAtMs === null ? {} : { last_update_at: new Date(status.lastUpdateAtMs).toISOString() }),
    pending_update_count: status.pendingUpdateCount,
    backend_state: status.backendState,
    ...(status.failingSinceMs === null ? {} : { failing_since: new Date(status.failingSinceMs).toISOString() }),
    ...(status.intakeStoppedAtMs === null
      ? {}
      : { not_polled_since: new Date(status.intakeStoppedAtMs).toISOString() }),
    attention: status.attention.map(presentAttention),
    created_at: bot.created_at.toISOString(),
  };
}
