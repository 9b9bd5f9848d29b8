import type { Simulator } from '../simulator.ts';
import { keepSetting } from './keep-setting.ts';
import type { SimBot } from './sim-bot.ts';

/** The setting of a bot that gets from groups only what concerns it. */
const PRIVACY_MODE = 'privacy mode';

export function hasPrivacyMode(bot: Pick<SimBot, 'settings'>): boolean {
  return bot.settings[PRIVACY_MODE] === true;
}

export function setPrivacyMode(sim: Simulator, bot: SimBot, isOn: boolean): void {
  keepSetting(sim, bot, PRIVACY_MODE, isOn || undefined);
}
