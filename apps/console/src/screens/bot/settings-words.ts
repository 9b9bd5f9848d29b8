import { botSettings as en } from '../../words/en/bot-settings.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { botSettings as ru } from '../../words/ru/bot-settings.ts';

export function useSettingsWords(): typeof en {
  return useWordsOf({ en, ru });
}
