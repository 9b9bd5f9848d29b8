import { later as en } from '../../../words/en/later.ts';
import { useWordsOf } from '../../../words/of-screen.ts';
import { later as ru } from '../../../words/ru/later.ts';

export function useLaterWords(): typeof en {
  return useWordsOf({ en, ru });
}
