/** Deeper than any body of ours, and far from what a parser's or a validator's recursion bears. */
const MAX_DEPTH = 32;
const MAX_KEYS = 2000;

const QUOTE = 34;
const BACKSLASH = 92;

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
        const end = endOfString(text, at);
        const scope = scopes.at(-1);
        if (scope && isKey(text, end)) {
          const key = decodeKey(text.slice(at, end + 1));
          if (scope.has(key)) return `names ${JSON.stringify(key.slice(0, 64))} twice`;
          scope.add(key);
          keys += 1;
          if (keys > MAX_KEYS) return `has more than ${MAX_KEYS} fields`;
        }
        at = end;
      }
    }
  }
  return null;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at += 1;
  return text[at] === ':';
}

/** `"a"` and `"\u0061"` are one key. */
function decodeKey(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted;
  }
}
