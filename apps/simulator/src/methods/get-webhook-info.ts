import type { SimBot } from '../bots/sim-bot.ts';
import type { Simulator } from '../simulator.ts';
import { pendingCount } from '../updates/update-queue.ts';
import type { Call } from './call.ts';

/** getWebhookInfo (Client.cpp:5945-5980); the result never contains the secret. */
export function getWebhookInfo({ sim, bot }: Call): unknown {
  return webhookInfo(sim, bot);
}

export type WebhookInfo = {
  url: string;
  has_custom_certificate: boolean;
  pending_update_count: number;
  ip_address?: string;
  last_error_date?: number;
  last_error_message?: string;
  max_connections?: number;
  allowed_updates?: string[];
};

export function webhookInfo(sim: Simulator, bot: SimBot): WebhookInfo {
  const { webhook } = bot;
  return {
    url: webhook?.url ?? '',
    has_custom_certificate: webhook !== null && webhook.certificate !== null,
    pending_update_count: pendingCount(bot.queue, sim.clock.nowMs()),
    ...(webhook !== null && { ip_address: webhook.ipAddress }),
    ...(webhook !== null &&
      webhook.failure !== null && {
        last_error_date: webhook.failure.dateS,
        last_error_message: webhook.failure.message,
      }),
    ...(webhook !== null && { max_connections: webhook.maxConnections }),
    ...(bot.allowedUpdates !== null && { allowed_updates: [...bot.allowedUpdates] }),
  };
}
