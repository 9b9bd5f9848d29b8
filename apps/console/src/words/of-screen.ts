import type { Language } from './catalogs.ts';
import { useWords } from './words.tsx';

/** The texts of a screen that is rarely opened: they are loaded with it, and not with the first screen. */
export function useWordsOf<Texts>(catalogs: Record<Language, Texts>): Texts {
  return catalogs[useWords().language as Language];
}
