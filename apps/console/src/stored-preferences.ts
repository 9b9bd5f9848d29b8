import { isLanguage, type Language } from './words/catalogs.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** The choices of a person in this browser. */
export type Preferences = {
  theme: Theme;
  language: Language;
  singleKeys: boolean;
  compact: boolean;
  /** Enter sends a message; without it, Ctrl Enter does. */
  enterSends: boolean;
  notices: Notices;
  /** The library whose program is shown first. */
  program: string;
};

/** The browser's notices of new messages: if they are on, and what they show. */
export const NOTICES = ['off', 'names', 'texts'] as const;
export type Notices = (typeof NOTICES)[number];

const STORED_AS = 'flotilla-preferences';

/** Reads the choices; without any, the language is the first of the browser's that we have. */
export function readPreferences(): Preferences {
  const { theme, language, singleKeys, compact, enterSends, notices, program } = stored();
  const wanted = [language, ...navigator.languages.map((tag) => tag.split('-')[0])].find(isLanguage);
  return {
    theme: THEMES.find((known) => known === theme) ?? 'system',
    language: wanted ?? 'en',
    singleKeys: singleKeys !== false,
    compact: compact === true,
    enterSends: enterSends === true,
    notices: NOTICES.find((known) => known === notices) ?? 'off',
    program: typeof program === 'string' ? program : '',
  };
}

/** Tells when another tab has changed the choices; returns what ends that. */
export function onPreferences(changed: (preferences: Preferences) => void): () => void {
  const hear = ({ key }: StorageEvent) => key === STORED_AS && changed(readPreferences());
  window.addEventListener('storage', hear);
  return () => window.removeEventListener('storage', hear);
}

export function storePreferences(preferences: Preferences): void {
  try {
    localStorage.setItem(STORED_AS, JSON.stringify(preferences));
  } catch {
    // The choice then holds until the page is closed.
  }
}

/** A browser may forbid storage, or hold what another release wrote. */
function stored(): { [Name in keyof Preferences]?: Name extends 'language' ? string : unknown } {
  try {
    return JSON.parse(localStorage.getItem(STORED_AS) ?? '{}') ?? {};
  } catch {
    return {};
  }
}
