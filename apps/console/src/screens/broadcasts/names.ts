import type { Content } from '../inbox/compose/content.ts';

/** The names that a text may have filled in, with the person whom the preview shows. */
export const EXAMPLE = { first_name: 'Ada', last_name: 'Lovelace', username: 'ada_l' } as const;
export type Name = keyof typeof EXAMPLE;
export const NAMES = Object.keys(EXAMPLE) as Name[];

const PLACEHOLDER = /\{([A-Za-z_]+)(?:\|([^{}]*))?\}/g;

/** Text that looks like a name and is none, which the api refuses. */
export function unknownName(text: string): string | null {
  for (const [found, name] of text.matchAll(PLACEHOLDER)) if (!NAMES.includes(name as Name)) return found;
  return null;
}

/** Names that some people lack and that have no fallback. */
export function withoutFallback(text: string): Name[] {
  const found = [...text.matchAll(PLACEHOLDER)].filter(([, , fallback]) => fallback === undefined);
  return NAMES.filter((name) => name !== 'first_name' && found.some(([, named]) => named === name));
}

/** The text for a person with all names, or with none. */
export function filledText({ text, format }: Content, hasNames: boolean): string {
  const shown = (name: Name) => (format === 'MarkdownV2' ? EXAMPLE[name].replace(/_/g, '\\_') : EXAMPLE[name]);
  return text.replace(PLACEHOLDER, (found, name: Name, fallback: string | undefined) =>
    NAMES.includes(name) ? (hasNames ? shown(name) : (fallback ?? '')) : found,
  );
}
