import { z } from 'zod';
import type { Simulator } from '../simulator.ts';
import { queueRaw } from '../updates/publish-update.ts';
import { readUpdateFacts } from '../updates/update-facts.ts';
import { allowsKind } from '../updates/update-kinds.ts';
import { ControlError } from './control-error.ts';
import { BOT } from './fields.ts';
import { botOf } from './lookups.ts';
import { operation } from './operation.ts';

const INJECTED = z.strictObject({
  kind: z.string().describe('message, callback_query, … or one that nobody knows yet'),
  raw: z.string().describe('the JSON text of the payload; it reaches readers byte for byte'),
  updateId: z.int().optional().describe('a higher one makes a gap, a used one a duplicate, a lower one a jump down'),
  ageS: z.number().optional().describe('as if it had arrived so many seconds ago'),
  neverExpires: z.boolean().optional().describe('whatever the date in the payload says'),
  force: z.boolean().optional().describe('also when allowed_updates leaves the kind out'),
});

export type InjectedUpdate = z.input<typeof INJECTED>;

const RAW = '{"message_id":1,"date":1767225600,"chat":{"id":424242,"type":"private"},"text":"Hello"}';
const UPDATE = { kind: 'message', raw: RAW, neverExpires: true };

export const injectUpdates = operation(
  'Queues updates of any kind for a bot; answers the id of each, null for those that were dropped',
  {
    input: z.strictObject({ bot: BOT, updates: z.array(INJECTED).describe('each as the fields of injectUpdate say') }),
    example: { bot: 1_000_000_001, updates: [UPDATE] },
  },
  (sim, { bot, updates }): { updateIds: (number | null)[] } => ({
    updateIds: updates.map((update) => inject(sim, bot, update)),
  }),
);

export const injectUpdate = operation(
  'Queues one update of any kind for a bot; answers its id, null when it was dropped',
  { input: z.strictObject({ bot: BOT, ...INJECTED.shape }), example: { bot: 1_000_000_001, ...UPDATE } },
  (sim, { bot, ...update }): { updateId: number | null } => ({ updateId: inject(sim, bot, update) }),
);

function inject(sim: Simulator, botId: number, update: InjectedUpdate): number | null {
  const bot = botOf(sim, botId);
  if (!update.force && !allowsKind(bot.allowedUpdates, update.kind)) return null;
  const arrivedAtMs = sim.clock.nowMs() - (update.ageS ?? 0) * 1000;
  const facts = readUpdateFacts(update.kind, parse(update.raw), arrivedAtMs);
  if (update.neverExpires) facts.expiresAtMs = Number.MAX_SAFE_INTEGER;
  return queueRaw(sim, bot, update.kind, update.raw, facts, update.updateId)?.id ?? null;
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    throw new ControlError('the payload is not JSON');
  }
}
