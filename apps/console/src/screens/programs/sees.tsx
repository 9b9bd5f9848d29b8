import type { ProgramResource } from '@flotilla/contract/programs.ts';
import type { ReactNode } from 'react';
import { useSettingsWords } from '../bot/settings-words.ts';
import { filterWords } from './filter.ts';
import { useProgramsWords } from './programs-words.ts';

/** In the list, and in the details. */
const NAMED = { list: 2, details: 8 } as const;

/** The updates that a program sees, in words; all of it on hover. */
export function Sees({ program, where }: { program: ProgramResource; where: keyof typeof NAMED }): ReactNode {
  const words = useProgramsWords();
  const { kindNames } = useSettingsWords();
  const names = program.kinds.map((kind) => kindNames[kind as keyof typeof kindNames] ?? kind);
  const conditions = filterWords(program.filter, words);
  const rest = names.length - NAMED[where];
  // One that is left out takes no less room than its name.
  const shown = rest > 1 ? [...names.slice(0, NAMED[where]), words.andMore(rest)] : names;
  const kinds = names.length === 0 ? words.allKinds : shown.join(', ');
  const all = [names.join(', ') || words.allKinds, ...conditions, ...(program.exclusive ? [words.filter.alone] : [])];
  return <span title={all.join('; ')}>{[kinds, ...all.slice(1)].join('; ')}</span>;
}
