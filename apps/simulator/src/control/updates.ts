import type { Simulator } from '../simulator.ts';
import { queueRaw } from '../updates/publish-update.ts';
import { readUpdateFacts } from '../updates/update-facts.ts';
import { allowsKind } from '../updates/update-kinds.ts';
import { ControlError } from './control-error.ts';
import { botOf } from './lookups.ts';

export type InjectedUpdate = {
  kind: string;
  /** The payload's JSON text; it reaches readers byte for byte. */
  raw: string;
  /** Chooses the id: a higher one makes a gap, a used one a duplicate, a lower one a jump down. */
  updateId?: number;
  /** Pretends that the update arrived this long ago. */
  ageS?: number;
  /** Ignores the kind's lifetime, for payloads with old dates. */
  neverExpires?: boolean;
  /** Ignores allowed_updates. */
  force?: boolean;
};

/** Queues updates of any kind, known or not; answers the id of each, null for those that were dropped. */
export function injectUpdates(
  sim: Simulator,
  input: { bot: number; updates: InjectedUpdate[] },
): { updateIds: (number | null)[] } {
  const bot = botOf(sim, input.bot);
  const updateIds = input.updates.map((update) => {
    if (!update.force && !allowsKind(bot.allowedUpdates, update.kind)) return null;
    const arrivedAtMs = sim.clock.nowMs() - (update.ageS ?? 0) * 1000;
    const facts = readUpdateFacts(update.kind, parse(update.raw), arrivedAtMs);
    if (update.neverExpires) facts.expiresAtMs = Number.MAX_SAFE_INTEGER;
    return queueRaw(sim, bot, update.kind, update.raw, facts, update.updateId)?.id ?? null;
  });
  return { updateIds };
}

/** The same for one update. */
export function injectUpdate(sim: Simulator, input: { bot: number } & InjectedUpdate): { updateId: number | null } {
  const { bot, ...update } = input;
  return { updateId: injectUpdates(sim, { bot, updates: [update] }).updateIds[0]! };
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    throw new ControlError('the payload is not JSON');
  }
}
