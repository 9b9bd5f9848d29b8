import { outbox as en } from '../../words/en/outbox.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { outbox as ru } from '../../words/ru/outbox.ts';

export type OutboxWords = typeof en;

export function useOutboxWords(): OutboxWords {
  return useWordsOf({ en, ru });
}
