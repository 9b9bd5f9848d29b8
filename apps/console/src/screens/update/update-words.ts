import { update as en } from '../../words/en/update.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { update as ru } from '../../words/ru/update.ts';

export function useUpdateWords(): typeof en {
  return useWordsOf({ en, ru });
}
