import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import type { Words } from './words/en.ts';
import { isLanguage, type Language, loadWords, WordsProvider } from './words/words.tsx';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** What a person chose in this browser. */
export type Preferences = { theme: Theme; language: Language; singleKeys: boolean; compact: boolean };

type Choices = Preferences & { choose(changes: Partial<Preferences>): void };

const STORED_AS = 'flotilla-preferences';
const PreferencesContext = createContext<Choices | null>(null);

export function usePreferences(): Choices {
  return use(PreferencesContext)!;
}

/** Reads the choices; without any, the language is the first of the browser's that we have. */
export function readPreferences(): Preferences {
  const { theme, language, singleKeys, compact } = stored();
  const wanted = [language, ...navigator.languages.map((tag) => tag.split('-')[0])].find(isLanguage);
  return {
    theme: THEMES.find((known) => known === theme) ?? 'system',
    language: wanted ?? 'en',
    singleKeys: singleKeys !== false,
    compact: compact === true,
  };
}

/** Shows the page in the chosen theme and language; `words` is the catalog of the first language. */
export function PreferencesProvider(given: { preferences: Preferences; words: Words; children: ReactNode }): ReactNode {
  const [preferences, setPreferences] = useState(given.preferences);
  const [words, setWords] = useState(given.words);
  const { theme, language } = preferences;
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
    store(chosen);
  };
  return (
    <PreferencesContext value={{ ...preferences, choose }}>
      <WordsProvider value={words}>{given.children}</WordsProvider>
    </PreferencesContext>
  );
}

/** A browser may forbid storage, or hold what another release wrote. */
function stored(): { theme?: unknown; language?: string; singleKeys?: unknown; compact?: unknown } {
  try {
    return JSON.parse(localStorage.getItem(STORED_AS) ?? '{}') ?? {};
  } catch {
    return {};
  }
}

function store(preferences: Preferences): void {
  try {
    localStorage.setItem(STORED_AS, JSON.stringify(preferences));
  } catch {
    // The choice then holds until the page is closed.
  }
}
