import { desk as en } from '../../../words/en/desk.ts';
import { useWordsOf } from '../../../words/of-screen.ts';
import { desk as ru } from '../../../words/ru/desk.ts';

export function useDeskWords(): typeof en {
  return useWordsOf({ en, ru });
}
