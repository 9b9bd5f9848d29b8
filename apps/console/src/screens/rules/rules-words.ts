import { rules as en } from '../../words/en/rules.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { rules as ru } from '../../words/ru/rules.ts';

export type RulesWords = typeof en;

export function useRulesWords(): RulesWords {
  return useWordsOf({ en, ru });
}
