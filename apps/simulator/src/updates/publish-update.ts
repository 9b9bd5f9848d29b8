import type { SimBot } from '../bots/sim-bot.ts';
import { platformJson } from '../platform-json.ts';
import type { Simulator } from '../simulator.ts';
import { readUpdateFacts, type UpdateFacts } from './update-facts.ts';
import { allowsKind } from './update-kinds.ts';
import { type PendingUpdate, push } from './update-queue.ts';
import { wakeWaiter } from './wake-waiter.ts';

/** Queues an update of `kind`; returns null when the bot does not want this kind or its queue is full. */
export function publishUpdate(sim: Simulator, bot: SimBot, kind: string, payload: object): PendingUpdate | null {
  if (!allowsKind(bot.allowedUpdates, kind)) return null;
  const facts = readUpdateFacts(kind, payload, sim.clock.nowMs());
  return queueRaw(sim, bot, kind, platformJson(payload), facts);
}

/** Like publishUpdate, for a payload that must stay byte for byte and whose facts are known. */
export function queueRaw(
  sim: Simulator,
  bot: SimBot,
  kind: string,
  rawPayload: string,
  facts: UpdateFacts,
  id?: number,
): PendingUpdate | null {
  const update = push(bot.queue, { payload: `"${kind}":${rawPayload}`, ...facts, id });
  if (update === null) return null;
  if (bot.webhook !== null) bot.webhook.accept(update);
  else wakeWaiter(sim.clock, bot);
  return update;
}
