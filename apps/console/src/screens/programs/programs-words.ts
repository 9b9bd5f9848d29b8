import { programs as en } from '../../words/en/programs.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { programs as ru } from '../../words/ru/programs.ts';

export type ProgramsWords = typeof en;

export function useProgramsWords(): ProgramsWords {
  return useWordsOf({ en, ru });
}
