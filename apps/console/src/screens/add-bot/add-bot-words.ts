import { addBot as en } from '../../words/en/add-bot.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { addBot as ru } from '../../words/ru/add-bot.ts';

export type AddBotWords = typeof en;

export function useAddBotWords(): typeof en {
  return useWordsOf({ en, ru });
}
