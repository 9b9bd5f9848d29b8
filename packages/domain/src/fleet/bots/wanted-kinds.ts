import { isDefaultKind, ONLY_ON_DEMAND } from '@flotilla/telegram/update-kinds.ts';
import type { ActiveProgram } from './active-program.ts';

/** Kinds of updates as scripts take them; null for all, 'default' for the platform's default set. */
export function wantedKinds(kinds: string[] | 'default' | null): string {
  if (kinds === null) return '';
  return kinds === 'default' ? `!,${ONLY_ON_DEMAND.join(',')},` : `,${kinds.join(',')},`;
}

/**
 * The kinds that a program gets when its client asks for these, or names none (null). A program without kinds of its own
 * gets what the client names, else the default set.
 */
export function kindsAsked(
  { kinds }: Pick<ActiveProgram, 'kinds'>,
  asked: string[] | 'default' | null,
): string[] | 'default' {
  if (kinds.length === 0) return asked ?? 'default';
  if (asked === 'default') return kinds.filter(isDefaultKind);
  return asked === null ? kinds : asked.filter((kind) => kinds.includes(kind));
}

/** The kinds that wait for a program, as scripts take them. */
export function kindsOfProgram(program: Pick<ActiveProgram, 'mode' | 'kinds' | 'webhook_kinds'>): string {
  return wantedKinds(kindsAsked(program, program.mode === 'push' ? program.webhook_kinds : null));
}

/** True if a list of kinds, as scripts take it, has this one. */
export function isKindWanted(wanted: string, kind: string): boolean {
  return wanted === '' || wanted.includes(`,${kind},`) !== wanted.startsWith('!');
}
