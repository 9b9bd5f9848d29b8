import { createContext, use } from 'react';
import type { Words } from './en.ts';

const WordsContext = createContext<Words | null>(null);
export const WordsProvider = WordsContext.Provider;

export function useWords(): Words {
  return use(WordsContext)!;
}
