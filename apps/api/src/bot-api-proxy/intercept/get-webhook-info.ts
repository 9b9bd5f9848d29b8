import { DEFAULT_MAX_CONNECTIONS } from '@flotilla/domain/bots/bot.ts';
import { readBotStatus } from '@flotilla/domain/bots/bot-status.ts';
import type { Context } from '../../context.ts';
import type { BotApiAnswer } from '../answer.ts';
import type { InterceptedCall } from './intercepted-call.ts';

/** Describes the backend as the platform describes a webhook, with the URL exactly as it was set. */
export async function getWebhookInfo(context: Context, { bot }: InterceptedCall): Promise<BotApiAnswer> {
  const status = await readBotStatus(context, bot);
  const url = bot.proxyEnabled ? bot.backendUrl : '';
  const info: Record<string, unknown> = {
    url,
    has_custom_certificate: url !== '' && bot.backendCertificate !== '',
    pending_update_count: Math.max(0, status.pendingUpdateCount),
  };
  if (url !== '') {
    if (status.deliveryError !== null) {
      info.last_error_date = Math.floor(status.deliveryError.atMs / 1000);
      info.last_error_message = status.deliveryError.message;
    }
    if (status.backendState !== 'ok') info.backend_state = status.backendState;
    info.max_connections = bot.maxConnections || DEFAULT_MAX_CONNECTIONS;
  }
  if (bot.allowedUpdates !== null) info.allowed_updates = bot.allowedUpdates;
  return { ok: true, result: JSON.stringify(info) };
}
