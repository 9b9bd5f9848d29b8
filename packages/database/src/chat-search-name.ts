import { fold } from './search-words.ts';

export interface ChatNames {
  title: string | null;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
}

/** The names of a chat as one text without case and accents, in which a part of a name is looked for. */
export function chatSearchName({ title, username, first_name, last_name }: ChatNames): string {
  const person = [first_name, last_name].filter(Boolean).join(' ');
  return fold([title, username, person].filter(Boolean).join('\n'));
}

/** The LIKE pattern of the search names that contain `q`; a username may have its `@`. */
export function chatNamePattern(q: string): string {
  return `%${fold(q.replace(/^@/, '')).replace(/[\\%_]/g, '\\$&')}%`;
}

/** The chat whose id `q` is; null if it is none. */
export function chatIdIn(q: string): number | null {
  return /^-?\d{1,16}$/.test(q) && Number.isSafeInteger(Number(q)) ? Number(q) : null;
}
