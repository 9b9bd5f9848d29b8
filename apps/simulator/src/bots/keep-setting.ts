import type { Simulator } from '../simulator.ts';
import type { SimBot } from './sim-bot.ts';

/** Keeps a value that JSON can hold with the bot; undefined removes it. */
export function keepSetting(sim: Simulator, bot: SimBot, key: string, value: unknown): true {
  if (value === undefined) delete bot.settings[key];
  else bot.settings[key] = value;
  sim.storage.saveBot(bot);
  return true;
}
