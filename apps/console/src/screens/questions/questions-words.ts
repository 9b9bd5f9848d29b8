import { questions as en } from '../../words/en/questions.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { questions as ru } from '../../words/ru/questions.ts';

export function useQuestionsWords(): typeof en {
  return useWordsOf({ en, ru });
}
