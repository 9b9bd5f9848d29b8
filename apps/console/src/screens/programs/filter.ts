import type { ProgramFilter } from '@flotilla/contract/program-filters.ts';
import type { ProgramsWords } from './programs-words.ts';
import { namesIn } from './rights.ts';

export const CHAT_TYPES = ['private', 'group', 'supergroup', 'channel'] as const;
export type ChatType = (typeof CHAT_TYPES)[number];

/** The fields of a filter of updates; lists but that of chats are text, with commas between. */
export type Filter = {
  chats: readonly number[];
  /** Only chats that are bound by a link, and those above. */
  bound_only: boolean;
  threads: string;
  types: readonly ChatType[];
  users: string;
  commands: string;
  keyword: string;
  text: string;
};

export const NEW_FILTER: Filter = {
  chats: [],
  bound_only: false,
  threads: '',
  types: [],
  users: '',
  commands: '',
  keyword: '',
  text: '',
};

/** null: every update. */
export function filterOf(filter: ProgramFilter): Filter | null {
  const { chat_ids: chats = [], thread_ids: threads = [], chat_types: types = [] } = filter;
  const { user_ids: users = [], commands = [], keyword = '', text = '' } = filter;
  if (Object.keys(filter).length === 0) return null;
  return {
    chats,
    bound_only: filter.bound_only === true,
    threads: threads.join(', '),
    ...{ types, users: users.join(', '), commands: commands.join(', '), keyword, text },
  };
}

/** Conditions that are not given are left out. */
export function filterInput(filter: Filter | null) {
  if (filter === null) return {};
  const { chats, bound_only, types, keyword, text } = filter;
  const [threads, users, commands] = [namesIn(filter.threads), listed(filter.users), listed(filter.commands)];
  return {
    ...(chats.length === 0 ? {} : { chat_ids: [...chats] }),
    ...(bound_only ? { bound_only: true } : {}),
    ...(threads.length === 0 ? {} : { thread_ids: threads }),
    ...(types.length === 0 ? {} : { chat_types: [...types] }),
    ...(users.length === 0 ? {} : { user_ids: users }),
    ...(commands.length === 0 ? {} : { commands }),
    ...(keyword.trim() === '' ? {} : { keyword: keyword.trim() }),
    ...(text.trim() === '' ? {} : { text }),
  };
}

function listed(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** The conditions in a few words each. */
export function filterWords(filter: ProgramFilter, { filter: words }: ProgramsWords): string[] {
  const { chat_ids: chats, thread_ids: threads, chat_types: types, user_ids: users, commands } = filter;
  const { keyword, text } = filter;
  return [
    ...(chats === undefined ? [] : [words.inChats(chats.length)]),
    ...(filter.bound_only === true && chats === undefined ? [words.inBoundChats] : []),
    ...(threads === undefined ? [] : [words.inThreads(threads.length)]),
    ...(types === undefined ? [] : [types.map((type) => words.typeNames[type]).join(words.or)]),
    ...(users === undefined ? [] : [words.fromUsers(users.length)]),
    ...(commands === undefined ? [] : [commands.map((name) => `/${name}`).join(words.or)]),
    ...(keyword === undefined ? [] : [words.quoted(keyword)]),
    ...(text === undefined ? [] : [text]),
  ];
}
