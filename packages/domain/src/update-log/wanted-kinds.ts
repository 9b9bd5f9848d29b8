import { ONLY_ON_DEMAND } from '@flotilla/telegram/update-kinds.ts';

/** Kinds of updates as scripts take them; null for all, 'default' for the platform's default set. */
export function wantedKinds(kinds: string[] | 'default' | null): string {
  if (kinds === null) return '';
  return kinds === 'default' ? `!,${ONLY_ON_DEMAND.join(',')},` : `,${kinds.join(',')},`;
}

/** The same of a program: an empty list is the default set. */
export function kindsOfProgram({ kinds }: { kinds: string[] }): string {
  return wantedKinds(kinds.length === 0 ? 'default' : kinds);
}
