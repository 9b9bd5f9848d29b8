import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { onPreferences, type Preferences, storePreferences } from './stored-preferences.ts';
import { loadWords } from './words/catalogs.ts';
import type { Words } from './words/en.ts';
import { WordsProvider } from './words/words.tsx';

type Choices = Preferences & { choose(changes: Partial<Preferences>): void };

const PreferencesContext = createContext<Choices | null>(null);

export function usePreferences(): Choices {
  return use(PreferencesContext)!;
}

/** Shows the page in the chosen theme and language; `words` is the catalog of the first language. */
export function PreferencesProvider(given: { preferences: Preferences; words: Words; children: ReactNode }): ReactNode {
  const [preferences, setPreferences] = useState(given.preferences);
  const [words, setWords] = useState(given.words);
  const { theme, language } = preferences;
  useEffect(() => onPreferences(setPreferences), []);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    document.documentElement.lang = words.language;
  }, [words]);
  useEffect(() => {
    let current = true;
    void loadWords(language).then((loaded) => current && setWords(loaded));
    return () => {
      current = false;
    };
  }, [language]);
  const choose = (changes: Partial<Preferences>) => {
    const chosen = { ...preferences, ...changes };
    setPreferences(chosen);
    storePreferences(chosen);
  };
  return (
    <PreferencesContext value={{ ...preferences, choose }}>
      <WordsProvider value={words}>{given.children}</WordsProvider>
    </PreferencesContext>
  );
}
