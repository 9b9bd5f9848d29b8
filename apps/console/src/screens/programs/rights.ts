import { expiryOf, type Lifetime } from '../../parts/lifetime-field.tsx';
import type { Faults } from '../../parts/use-form.ts';
import type { ProgramsWords } from './programs-words.ts';

export const GROUPS = ['read', 'send', 'edit', 'moderate', 'files', 'payments'] as const;
export type Group = (typeof GROUPS)[number];

/** The fields of the rights of a token; numbers are text until they are sent. */
export type Rights = {
  /** null: everything that the bot may call. */
  groups: readonly Group[] | null;
  /** Names of methods beside the groups. */
  others: string;
  /** null: all chats. */
  chats: readonly number[] | null;
  /** Topics of its one chat, with commas between them; empty: all. */
  threads: string;
  perSecond: string;
  perMinute: string;
  lifetime: Lifetime;
};

export const NEW_RIGHTS: Rights = {
  groups: ['read', 'send', 'edit'],
  others: '',
  chats: null,
  threads: '',
  perSecond: '',
  perMinute: '',
  lifetime: { span: 'never' },
};

export function rightsInput({ groups, others, chats, threads, perSecond, perMinute, lifetime }: Rights) {
  const rate = {
    ...(perSecond === '' ? {} : { per_second: Number(perSecond) }),
    ...(perMinute === '' ? {} : { per_minute: Number(perMinute) }),
  };
  const expires = expiryOf(lifetime);
  return {
    ...(groups === null ? {} : { methods: [...groups, ...namesIn(others)] }),
    ...(chats === null ? {} : { chats: [...chats] }),
    ...(chats?.length === 1 && namesIn(threads).length > 0 ? { threads: namesIn(threads) } : {}),
    ...(Object.keys(rate).length === 0 ? {} : { rate }),
    ...(expires === undefined ? {} : { expires_at: expires }),
  };
}

/** The parts of a list that is text, with commas or spaces between. */
export function namesIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter((name) => name !== '');
}

/** The faults that the page finds before it asks the api. */
export function localRightsFaults(rights: Rights, words: ProgramsWords): Faults {
  const { groups, others, chats } = rights;
  const { noMethod, noChat, badNumber } = words.rights;
  const isBad = (text: string) => text !== '' && !/^[1-9]\d*$/.test(text);
  return {
    ...(groups?.length === 0 && namesIn(others).length === 0 ? { methods: noMethod } : {}),
    ...(chats?.length === 0 ? { chats: noChat } : {}),
    ...(isBad(rights.perSecond) ? { 'rate.per_second': badNumber } : {}),
    ...(isBad(rights.perMinute) ? { 'rate.per_minute': badNumber } : {}),
  };
}

export const RIGHTS_FIELDS = [
  'methods',
  'chats',
  'threads',
  'rate.per_second',
  'rate.per_minute',
  'rate',
  'expires_at',
];
