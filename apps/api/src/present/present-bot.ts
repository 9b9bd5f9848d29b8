import type { ShownMove } from '@flotilla/contract/bot-moves.ts';
import { type BotResource, bot as declared } from '@flotilla/contract/bots.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import type { BotStatus } from '@flotilla/domain/fleet/bot-list/bot-status.ts';
import type { Bot, Moving } from '@flotilla/domain/fleet/bots/bot.ts';
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

export function presentMoving({ to, step, since, waits_until: until, reason }: Moving): ShownMove {
  return {
    ...{ to, step, since: new Date(since).toISOString() },
    ...(until !== null && { waits_until: new Date(until).toISOString() }),
    ...(reason !== '' && { reason }),
  };
}

/** The bot as all callers of one of these two kinds see it. */
export function presentBotTo(audience: 'who sees secrets' | 'others', bot: Bot, status: BotStatus): BotResource {
  const secrets = audience === 'who sees secrets' ? {} : maskedSecrets(bot);
  return answerOf(declared, {
    ...bot,
    ...secrets,
    signing_enabled: bot.signing !== null,
    running: status.running,
    intake: intakeOf(bot, status),
    moving: bot.moving ? presentMoving(bot.moving) : undefined,
    flood_until: dateOf(status.floodUntilMs),
    last_error: status.lastError?.message ?? '',
    last_error_at: dateOf(status.lastError?.atMs ?? null),
    last_update_at: dateOf(status.lastUpdateAtMs),
    pending_update_count: status.pendingUpdateCount,
    backend_state: status.backendState,
    failing_since: dateOf(status.failingSinceMs),
    not_polled_since: dateOf(status.intakeStoppedAtMs),
    attention: status.attention.map(presentAttention),
  });
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
