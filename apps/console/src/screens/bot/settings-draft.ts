import { settingControls } from 'virtual:settings';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { Input } from '../../call.ts';

const DEFAULT_CONNECTIONS = 40;

const PACES = [
  'per_second',
  'per_chat_second',
  'per_group_minute',
] as const satisfies readonly (keyof BotResource['pace'])[];
/** How fast the outbox sends, as it is typed. */
export type Pace = Record<(typeof PACES)[number], string>;

type Changeable = keyof Input<'updateBot'> & keyof BotResource;
type Plain = { [Name in Changeable]: BotResource[Name] extends string | number | boolean ? Name : never }[Changeable];
/** A setting whose control comes from the contract: a switch, a text, a number or one of a few. */
export type PlainSetting = Exclude<Plain, (typeof OTHERWISE)[number]>;
const OTHERWISE = ['id', 'token', 'backend_url', 'secret_token', 'upstream', 'environment'] as const;
const isPlain = (name: string): name is PlainSetting =>
  !OTHERWISE.some((one) => one === name) &&
  ['boolean', 'integer', 'string'].includes(settingControls[name]?.type ?? '');
export const PLAIN_SETTINGS = Object.keys(settingControls).filter(isPlain);

/** The compiler asks for each of them, in every language. */
export type SettingWords = {
  [Name in PlainSetting]: string extends BotResource[Name]
    ? { label: string; hint: string }
    : BotResource[Name] extends string
      ? { label: string; options: Record<BotResource[Name], string>; optionHints: Record<BotResource[Name], string> }
      : { label: string; hint: string };
};

/** The settings as the form holds them: numbers and labels are text. A secret that is null stays as it is. */
export type Settings = {
  [Name in PlainSetting]: BotResource[Name] extends number ? string : BotResource[Name];
} & {
  labels: string;
  /** JSON. */
  template: string;
  backend_url: string;
  pace: Pace;
  secret_token: string | null;
  allowed_updates: readonly string[] | null;
};

export type FaultOf = (name: keyof Settings | `pace.${keyof Pace}`) => string | undefined;

export function settingsOf(bot: BotResource): Settings {
  const plain = PLAIN_SETTINGS.map((name) => [name, typeof bot[name] === 'number' ? String(bot[name]) : bot[name]]);
  return {
    ...Object.fromEntries(plain),
    max_connections: String(bot.max_connections || DEFAULT_CONNECTIONS),
    labels: bot.labels.join(', '),
    template: JSON.stringify(bot.template, null, 2),
    backend_url: bot.backend_url,
    pace: Object.fromEntries(PACES.map((name) => [name, String(bot.pace[name])])) as Pace,
    secret_token: null,
    allowed_updates: bot.allowed_updates ?? null,
  };
}

/** The changes as the api takes them. Numbers stay text, so that the api refuses an empty one. */
export function inputOf({ allowed_updates: kinds, secret_token: secret, labels, ...rest }: Partial<Settings>) {
  return {
    ...rest,
    ...(labels === undefined ? {} : { labels: labelsOf(labels) }),
    ...(typeof secret === 'string' ? { secret_token: secret } : {}),
    ...(kinds === undefined ? {} : { allowed_updates: kinds === null ? null : [...kinds] }),
  };
}

function labelsOf(typed: string): string[] {
  return typed
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '');
}
