import type { ProgramResource } from '@flotilla/contract/programs.ts';
import type { ReactNode } from 'react';
import { useWords } from '../../words/words.tsx';
import { useSettingsWords } from '../bot/settings-words.ts';
import { type ProgramsWords, useProgramsWords } from './programs-words.ts';

const NAMED_KINDS = 2;

/** What a program sees, in words. */
export function Sees({ program, whole = false }: { program: ProgramResource; whole?: boolean }): ReactNode {
  const words = useProgramsWords();
  const { kindNames } = useSettingsWords();
  const { language } = useWords();
  const names = program.kinds.map((kind) => kindNames[kind as keyof typeof kindNames] ?? kind);
  return names.length === 0 ? words.allKinds : listed(names, whole ? names.length : NAMED_KINDS, words, language);
}

function listed(names: readonly string[], most: number, words: ProgramsWords, language: string): string {
  const rest = names.length - most;
  // One that is left out takes no less room than its name.
  const shown = rest > 1 ? [...names.slice(0, most), words.andMore(rest)] : names;
  return new Intl.ListFormat(language, { type: 'conjunction' }).format(shown);
}
