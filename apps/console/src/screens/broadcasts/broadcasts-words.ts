import { broadcasts as en } from '../../words/en/broadcasts.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { broadcasts as ru } from '../../words/ru/broadcasts.ts';

export type BroadcastsWords = typeof en;

export function useBroadcastsWords(): BroadcastsWords {
  return useWordsOf({ en, ru });
}
