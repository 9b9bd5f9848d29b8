import { desk as en } from '../../../words/en/desk.ts';
import { useWordsOf } from '../../../words/of-screen.ts';
import { desk as ru } from '../../../words/ru/desk.ts';

export type DeskWords = typeof en;

export function useDeskWords(): DeskWords {
  return useWordsOf({ en, ru });
}
