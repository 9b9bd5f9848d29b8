import { notes as en } from '../../../words/en/notes.ts';
import { useWordsOf } from '../../../words/of-screen.ts';
import { notes as ru } from '../../../words/ru/notes.ts';

export function useNotesWords(): typeof en {
  return useWordsOf({ en, ru });
}
