import { botSettings as en } from '../words/en/bot-settings.ts';
import { botSettings as ru } from '../words/ru/bot-settings.ts';

const SETTINGS = [
  ...([
    'name',
    'description',
    'webhookMode',
    'proxy',
    'url',
    'secret',
    'connections',
    'longPoll',
    'silentAfter',
  ] as const),
  ...(['someKinds', 'manage', 'disable', 'token', 'delete'] as const),
];

/** The settings of a bot with their names in every language. */
export const settingNames = SETTINGS.map((setting) => ({ setting, names: { en: en[setting], ru: ru[setting] } }));
