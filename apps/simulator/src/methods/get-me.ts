import { changeSettings, fullInfo } from '../bots/bot-settings.ts';
import type { Call } from './call.ts';

export function getMe({ bot }: Call): unknown {
  return fullInfo(bot);
}

export function setMySettings({ sim, bot, params }: Call): true {
  return changeSettings(sim, bot, params);
}
