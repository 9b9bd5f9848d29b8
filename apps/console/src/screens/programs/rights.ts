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
  per_second: string;
  per_minute: string;
  lifetime: Lifetime;
};

export const NEW_RIGHTS: Rights = {
  groups: ['read', 'send', 'edit'],
  others: '',
  chats: null,
  threads: '',
  per_second: '',
  per_minute: '',
  lifetime: { span: 'never' },
};

export function rightsInput({ groups, others, chats, threads, per_second, per_minute, lifetime }: Rights) {
  const rate = {
    ...(per_second === '' ? {} : { per_second: Number(per_second) }),
    ...(per_minute === '' ? {} : { per_minute: Number(per_minute) }),
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
    ...(isBad(rights.per_second) ? { 'rate.per_second': badNumber } : {}),
    ...(isBad(rights.per_minute) ? { 'rate.per_minute': badNumber } : {}),
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
