import { randomInt } from 'node:crypto';
import type { SimBot } from '../bots/sim-bot.ts';
import type { Simulator } from '../simulator.ts';
import { type PendingUpdate, remove } from '../updates/update-queue.ts';
import { type PostOutcome, webhookPoster } from './post-update.ts';
import type { Lane, Webhook, WebhookSettings } from './webhook.ts';

const GONE_LIMIT_MS = 23 * 3_600_000;
const STRUGGLING_AFTER_MS = 10_000;
const STRUGGLING_PACE_MS = 2_000;

type Delivery = {
  sim: Simulator;
  bot: SimBot;
  webhook: Webhook;
  ready: Lane[];
  stopped: boolean;
  post: Poster;
  onReply: OnReply;
};

/** Receives the body of a reply that accepted an update. */
export type OnReply = (contentType: string, body: Buffer) => void;
type Poster = ReturnType<typeof webhookPoster>;

/** Delivers a bot's updates to its webhook, one at a time per lane, lanes in parallel (WebhookActor.cpp:261-583). */
export function startDelivery(sim: Simulator, bot: SimBot, settings: WebhookSettings, onReply: OnReply): Webhook {
  const poster = webhookPoster(settings);
  const webhook: Webhook = {
    ...settings,
    failure: null,
    lanes: new Map(),
    active: 0,
    lastSuccessMs: sim.clock.nowMs(),
    lastAttemptMs: 0,
    goneSinceMs: null,
    stop() {
      delivery.stopped = true;
      for (const lane of webhook.lanes.values()) lane.cancelRetry?.();
      poster.close();
    },
    accept: (update) => accept(delivery, update),
  };
  const delivery: Delivery = { sim, bot, webhook, ready: [], stopped: false, post: poster, onReply };
  return webhook;
}

function accept(delivery: Delivery, update: PendingUpdate): void {
  const lanes = delivery.webhook.lanes;
  let lane = lanes.get(update.lane);
  if (lane === undefined) {
    lane = { key: update.lane, waiting: [], busy: false, failures: 0, cancelRetry: null };
    lanes.set(update.lane, lane);
  }
  lane.waiting.push(update);
  if (lane.waiting.length > 1 || lane.busy) return;
  delivery.ready.push(lane);
  flow(delivery);
}

/** Starts as many ready lanes as max_connections allows. */
function flow(delivery: Delivery): void {
  const { webhook, ready, sim } = delivery;
  while (!delivery.stopped && ready.length > 0 && webhook.active < webhook.maxConnections) {
    const nowMs = sim.clock.nowMs();
    const struggling = nowMs - webhook.lastSuccessMs > STRUGGLING_AFTER_MS && webhook.failure !== null;
    if (struggling && webhook.active > 0) return;
    const lane = ready.shift()!;
    const update = nextUpdate(delivery, lane);
    if (update === null) continue;
    webhook.active += 1;
    lane.busy = true;
    const paceMs = struggling ? Math.max(0, webhook.lastAttemptMs + STRUGGLING_PACE_MS - nowMs) : 0;
    lane.cancelRetry = paceMs > 0 ? sim.clock.after(paceMs, () => void attempt(delivery, lane, update)) : null;
    if (paceMs === 0) void attempt(delivery, lane, update);
  }
}

/** The next update of the lane that is neither removed nor expired; null when the lane is empty. */
function nextUpdate({ sim, bot, webhook }: Delivery, lane: Lane): PendingUpdate | null {
  for (let update = lane.waiting[0]; update !== undefined; update = lane.waiting[0]) {
    if (!update.gone && update.expiresAtMs > sim.clock.nowMs()) return update;
    remove(bot.queue, update);
    lane.waiting.shift();
    lane.failures = 0;
  }
  webhook.lanes.delete(lane.key);
  return null;
}

async function attempt(delivery: Delivery, lane: Lane, update: PendingUpdate): Promise<void> {
  const { webhook, sim, bot } = delivery;
  webhook.lastAttemptMs = sim.clock.nowMs();
  sim.storage.commit();
  const outcome = await delivery.post.send(update.text);
  if (delivery.stopped) return;
  webhook.active -= 1;
  lane.busy = false;
  if (outcome.kind === 'accepted') {
    Object.assign(webhook, { lastSuccessMs: sim.clock.nowMs(), goneSinceMs: null });
    lane.failures = 0;
    lane.waiting.shift();
    remove(bot.queue, update);
    delivery.ready.push(lane);
    delivery.onReply(outcome.contentType, outcome.body);
  } else fail(delivery, lane, update, outcome);
  flow(delivery);
}

function fail(delivery: Delivery, lane: Lane, update: PendingUpdate, outcome: PostOutcome & { kind: 'failed' }): void {
  const { webhook, sim, bot } = delivery;
  const nowMs = sim.clock.nowMs();
  webhook.failure = { dateS: sim.clock.nowS(), message: outcome.message };
  if (outcome.status !== 410) webhook.goneSinceMs = null;
  else webhook.goneSinceMs ??= nowMs;
  if (webhook.goneSinceMs !== null && nowMs - webhook.goneSinceMs > GONE_LIMIT_MS) {
    webhook.stop();
    bot.webhook = null;
    sim.storage.saveBot(bot);
    return;
  }
  const delayMs = outcome.retryAfterS === null ? backoffMs(lane) : outcome.retryAfterS * 1000;
  if (nowMs + delayMs > update.expiresAtMs) {
    remove(bot.queue, update);
    delivery.ready.push(lane);
    return;
  }
  lane.busy = true;
  lane.cancelRetry = sim.clock.after(delayMs, () => {
    Object.assign(lane, { cancelRetry: null, busy: false });
    delivery.ready.push(lane);
    flow(delivery);
  });
}

/** Retries at once, then after 2, 4, 8 … s, each capped by a new random 60 to 120 s (WebhookActor.cpp:493-523). */
function backoffMs(lane: Lane): number {
  lane.failures += 1;
  if (lane.failures === 1) return 0;
  return Math.min(2 ** (lane.failures - 1), randomInt(60, 121)) * 1000;
}
