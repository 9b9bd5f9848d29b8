import { botSettings as en } from '../../words/en/bot-settings.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { botSettings as ru } from '../../words/ru/bot-settings.ts';
import type { SettingWords } from './settings-draft.ts';

const catalogs = { en: { ...en, settings: en.settings satisfies SettingWords }, ru };

export type SettingsWords = typeof en;

export function useSettingsWords(): SettingsWords {
  return useWordsOf(catalogs);
}
