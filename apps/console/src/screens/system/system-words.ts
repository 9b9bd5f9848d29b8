import { system as en } from '../../words/en/system.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { system as ru } from '../../words/ru/system.ts';

export function useSystemWords(): typeof en {
  return useWordsOf({ en, ru });
}
