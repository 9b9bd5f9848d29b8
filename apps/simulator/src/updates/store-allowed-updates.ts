import type { SimBot } from '../bots/sim-bot.ts';
import { type Params, text } from '../http/params.ts';
import type { Simulator } from '../simulator.ts';
import { type AllowedUpdates, readAllowedUpdates } from './update-kinds.ts';

/** Stores the allowed_updates of a call for the bot, if the call names any. */
export function storeAllowedUpdates(sim: Simulator, bot: SimBot, params: Params): void {
  const wanted = readAllowedUpdates(text(params, 'allowed_updates'), bot.allowedUpdates);
  // Most programs send the same list with every poll, so most calls need no write.
  if (isSame(wanted, bot.allowedUpdates)) return;
  bot.allowedUpdates = wanted;
  sim.storage.saveBot(bot);
}

function isSame(one: AllowedUpdates, other: AllowedUpdates): boolean {
  if (one === null || other === null) return one === other;
  return one.size === other.size && [...one].every((kind) => other.has(kind));
}
