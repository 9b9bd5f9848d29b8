import { fold } from './search-words.ts';

export interface ChatNames {
  title: string | null;
  username: string | null;
  firstName: string | null;
  lastName: string | null;
}

/** The names of a chat as one text without case and accents, in which a part of a name is looked for. */
export function chatSearchName({ title, username, firstName, lastName }: ChatNames): string {
  const person = [firstName, lastName].filter(Boolean).join(' ');
  return fold([title, username, person].filter(Boolean).join('\n'));
}

/** The LIKE pattern of the search names that contain `q`. */
export function chatNamePattern(q: string): string {
  return `%${fold(q).replace(/[\\%_]/g, '\\$&')}%`;
}
