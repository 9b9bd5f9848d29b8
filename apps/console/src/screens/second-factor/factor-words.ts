import { secondFactor as en } from '../../words/en/second-factor.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { secondFactor as ru } from '../../words/ru/second-factor.ts';

const catalogs = { en, ru };

export function useFactorWords(): typeof en {
  return useWordsOf(catalogs);
}
