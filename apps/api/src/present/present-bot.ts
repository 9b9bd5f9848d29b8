import type { ShownMove } from '@flotilla/contract/bot-moves.ts';
import { type BotResource, bot as declared } from '@flotilla/contract/bots.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import type { BotStatus } from '@flotilla/domain/fleet/bot-list/bot-status.ts';
import type { Bot, Moving } from '@flotilla/domain/fleet/bots/bot.ts';
import { maskedSecrets } from '@flotilla/domain/fleet/bots/masked-secrets.ts';
import { type Caller, seesBot } from '@flotilla/domain/people/accounts/caller.ts';
import { presentAttention } from './present-attention.ts';

/** Only API keys of admins get secrets unmasked, so that no page in a browser holds the tokens of a fleet. */
export function seesSecrets(caller: Caller): boolean {
  return caller.role === 'admin' && caller.apiKey !== null;
}

/** Callers of one audience see a bot in the same way. */
export type Audience = { seesSecrets: boolean; seesParent: boolean };

export function audienceOf(caller: Caller, { parent_bot_id: parent }: Bot): Audience {
  return { seesSecrets: seesSecrets(caller), seesParent: parent === null || seesBot(caller, parent) };
}

/** The bot as this caller sees it. */
export function presentBot(caller: Caller, bot: Bot, status: BotStatus): BotResource {
  return presentBotTo(audienceOf(caller, bot), bot, status);
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

export function presentBotTo({ seesSecrets, seesParent }: Audience, bot: Bot, status: BotStatus): BotResource {
  return answerOf(declared, {
    ...bot,
    ...(seesSecrets ? {} : maskedSecrets(bot)),
    ...(seesParent ? {} : { parent_bot_id: null }),
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
