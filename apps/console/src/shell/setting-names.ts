import { botSettings as en } from '../words/en/bot-settings.ts';
import { botSettings as ru } from '../words/ru/bot-settings.ts';

const PLAIN = Object.keys(en.settings) as (keyof typeof en.settings)[];
const OTHERS = ['url', 'secret', 'someKinds', 'disable', 'token', 'delete'] as const;

/** The settings of a bot with their names in every language. */
export const settingNames = [
  ...PLAIN.map((setting) => ({ setting, names: { en: en.settings[setting].label, ru: ru.settings[setting].label } })),
  ...OTHERS.map((setting) => ({ setting, names: { en: en[setting], ru: ru[setting] } })),
];
