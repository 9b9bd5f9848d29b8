import { loadLate } from '../load-late.ts';
import type { Words } from './en.ts';

const CATALOGS = {
  en: () => import('./en.ts'),
  ru: () => import('./ru.ts'),
} satisfies Record<string, () => Promise<{ words: Words }>>;

export type Language = keyof typeof CATALOGS;
/** Every language by the name that its speakers give it. */
export const LANGUAGES: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['ru', 'Русский'],
];

export function isLanguage(text: string | null | undefined): text is Language {
  return text != null && text in CATALOGS;
}

export async function loadWords(language: Language): Promise<Words> {
  return (await loadLate(CATALOGS[language])).words;
}
