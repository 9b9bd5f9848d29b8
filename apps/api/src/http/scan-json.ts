import { skipSpace, skipString, unquoted } from '@flotilla/telegram/json-text.ts';

/** Deeper than any body of ours, and far from what a parser's or a validator's recursion bears. */
const MAX_DEPTH = 32;
const MAX_KEYS = 2000;

/**
 * What makes a JSON text unfit before it is parsed: nesting, number of keys, or a key given twice, of which readers
 * disagree which one counts. Null when nothing does; whether it is JSON at all is for the parser to say.
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
