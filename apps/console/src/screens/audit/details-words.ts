import { auditDetails as en } from '../../words/en/audit-details.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { auditDetails as ru } from '../../words/ru/audit-details.ts';

export type DetailsWords = typeof en;

export function useDetailsWords(): DetailsWords {
  return useWordsOf({ en, ru });
}
