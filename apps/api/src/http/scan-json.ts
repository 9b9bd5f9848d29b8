import { skipSpace, skipString, unquoted } from '@flotilla/telegram/json-text.ts';

/** Deeper than any valid body, and far below the recursion limit of parsers and validators. */
const MAX_DEPTH = 32;
const MAX_KEYS = 2000;

/**
 * The reason to refuse a JSON text before it is parsed: its nesting, its number of keys, or a key given twice, because
 * parsers disagree which one counts. Null if it passes; the parser decides whether it is JSON.
 */
export function scanJson(text: string): string | null {
  const scopes: (Set<string> | null)[] = [];
  let keys = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '{':
      case '[':
        if (scopes.push(text[at] === '{' ? new Set() : null) > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH}`;
        break;
      case '}':
      case ']':
        scopes.pop();
        break;
      case '"': {
        const end = skipString(text, at);
        if (end === -1) return null;
        const scope = scopes.at(-1);
        if (scope && text[skipSpace(text, end)] === ':') {
          const key = unquoted(text.slice(at, end));
          if (scope.has(key)) return `names ${JSON.stringify(key.slice(0, 64))} twice`;
          scope.add(key);
          keys += 1;
          if (keys > MAX_KEYS) return `has more than ${MAX_KEYS} fields`;
        }
        at = end - 1;
      }
    }
  }
  return null;
}
