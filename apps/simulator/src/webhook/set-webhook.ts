import { BotApiError, badRequest, tooManyRequests } from '../bot-api-error.ts';
import type { SimBot } from '../bots/sim-bot.ts';
import { boolean, integer, type Params, text } from '../http/params.ts';
import type { Call } from '../methods/call.ts';
import type { Simulator } from '../simulator.ts';
import { refuseConflict } from '../updates/refuse-conflict.ts';
import { storeAllowedUpdates } from '../updates/store-allowed-updates.ts';
import { clear, pending } from '../updates/update-queue.ts';
import { checkWebhookUrl } from './check-webhook-url.ts';
import { type OnReply, startDelivery } from './deliver.ts';
import type { Webhook, WebhookSettings } from './webhook.ts';

const MAX_CERTIFICATE_BYTES = 3 * 1024 * 1024;

type Wanted = Omit<WebhookSettings, 'pinned'>;

/** setWebhook (Client.cpp:15726-15798): returns the description of its success. A failed call leaves no webhook. */
export async function setWebhook(call: Call, onReply: OnReply): Promise<string> {
  const { sim, bot, params } = call;
  const url = text(params, 'url');
  if (url === '') return deleteWebhook(call);
  const nowMs = sim.clock.nowMs();
  if (nowMs < bot.lastSetWebhookMs + 1_000) throw tooManyRequests(1);
  bot.lastSetWebhookMs = nowMs;
  const wanted = readWanted(params, sim.settings.localMode);
  storeAllowedUpdates(call.sim, bot, params);
  const drop = boolean(params, 'drop_pending_updates');
  if (!drop && isSame(bot.webhook, wanted)) return 'Webhook is already set';
  dropWebhook(sim, bot);
  if (drop) clear(bot.queue);
  bot.waiter?.refuse('setWebhook');
  checkWanted(wanted);
  const ipAddress = await resolveAlone(bot, () => checkWebhookUrl(sim, wanted));
  startWebhook(sim, bot, { ...wanted, ipAddress, pinned: wanted.ipAddress !== '' }, onReply);
  return 'Webhook was set';
}

/** Starts delivery to a webhook, with the pending updates first. */
export function startWebhook(sim: Simulator, bot: SimBot, settings: WebhookSettings, onReply: OnReply): void {
  bot.webhook = startDelivery(sim, bot, settings, onReply);
  sim.storage.saveBot(bot);
  for (const update of pending(bot.queue, sim.clock.nowMs())) bot.webhook.accept(update);
}

/** Resolves a webhook's address; a later setWebhook meanwhile makes this one fail with 409. */
function resolveAlone(bot: SimBot, lookUp: () => Promise<string>): Promise<string> {
  bot.refusePendingSet?.();
  return new Promise((resolve, reject) => {
    const refuse = () => {
      bot.refusePendingSet = null;
      refuseConflict(bot, 'otherSetWebhook', reject);
    };
    bot.refusePendingSet = refuse;
    const settle = (action: () => void) => {
      if (bot.refusePendingSet !== refuse) return;
      bot.refusePendingSet = null;
      action();
    };
    lookUp().then(
      (address) => settle(() => resolve(address)),
      (error: Error) => settle(() => reject(error)),
    );
  });
}

/** deleteWebhook: pending updates stay for getUpdates, unless drop_pending_updates is set. */
export function deleteWebhook({ sim, bot, params }: Call): string {
  storeAllowedUpdates(sim, bot, params);
  if (boolean(params, 'drop_pending_updates')) clear(bot.queue);
  if (bot.webhook === null) return 'Webhook is already deleted';
  dropWebhook(sim, bot);
  return 'Webhook was deleted';
}

export function dropWebhook(sim: Simulator, bot: SimBot): void {
  bot.webhook?.stop();
  bot.webhook = null;
  sim.storage.saveBot(bot);
}

function readWanted(params: Params, localMode: boolean): Wanted {
  const attached = /^attach:\/\/(.+)/.exec(text(params, 'certificate'))?.[1];
  const upload = params.files.get(attached ?? 'certificate');
  return {
    url: text(params, 'url'),
    secretToken: text(params, 'secret_token'),
    certificate: upload?.bytes ?? null,
    maxConnections: integer(params, 'max_connections', localMode ? 100 : 40, 1, localMode ? 100_000 : 100),
    ipAddress: text(params, 'ip_address'),
  };
}

function isSame(current: Webhook | null, wanted: Wanted): boolean {
  return (
    current !== null &&
    current.url === wanted.url &&
    current.certificate === null &&
    wanted.certificate === null &&
    current.maxConnections === wanted.maxConnections &&
    current.secretToken === wanted.secretToken &&
    current.pinned === (wanted.ipAddress !== '') &&
    (!current.pinned || current.ipAddress === wanted.ipAddress)
  );
}

function checkWanted({ secretToken, certificate }: Wanted): void {
  if (secretToken.length > 256) throw badRequest('secret token is too long');
  if (!/^[A-Za-z0-9_-]*$/.test(secretToken)) throw badRequest('secret token contains unallowed characters');
  if (certificate !== null && certificate.length > MAX_CERTIFICATE_BYTES) {
    throw new BotApiError(400, `Bad Request: certificate size is too big (${certificate.length} bytes)`);
  }
}
