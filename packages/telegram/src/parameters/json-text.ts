const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;

/** Called with the decoded name and the raw text of a value; true ends the scan. */
type OnMember = (name: string, raw: string) => boolean;

/**
 * Walks the members of the outermost object without decoding their values, so that every digit survives. Nested
 * values are skipped without recursion, whatever their depth. True when the object was read to its closing brace,
 * or the callback ended the scan; false when it is malformed or cut off, after the members before that were given.
 */
export function scanMembers(text: string, onMember: OnMember): boolean {
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== OPEN_BRACE) return false;
  at = skipSpace(text, at + 1);
  if (text.charCodeAt(at) === CLOSE_BRACE) return true;
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = endOfString(text, at);
    const colon = skipSpace(text, nameEnd);
    if (nameEnd === -1 || text.charCodeAt(colon) !== COLON) return false;
    const valueAt = skipSpace(text, colon + 1);
    const valueEnd = endOfValue(text, valueAt);
    if (valueEnd === -1) return false;
    if (onMember(unquoted(text.slice(at, nameEnd)), text.slice(valueAt, valueEnd))) return true;
    at = skipSpace(text, valueEnd);
    if (text.charCodeAt(at) === CLOSE_BRACE) return true;
    if (text.charCodeAt(at) !== COMMA) return false;
    at = skipSpace(text, at + 1);
  }
  return false;
}

/** The value of a JSON string literal; a malformed one loses its quotes only. */
export function unquoted(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    return JSON.parse(literal);
  } catch {
    return literal.slice(1, -1);
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) break;
    at++;
  }
  return at;
}

/** The index behind the closing quote, -1 when there is none. */
function endOfString(text: string, openingQuote: number): number {
  let quote = text.indexOf('"', openingQuote + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? -1 : quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

function endOfValue(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === QUOTE) return endOfString(text, from);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(text, from);
  let at = from;
  while (at < text.length && !isDelimiter(text.charCodeAt(at))) at++;
  return at === from || at === text.length ? -1 : at;
}

function endOfNested(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at === -1) return -1;
      continue;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) return at + 1;
    at++;
  }
  return -1;
}

function isDelimiter(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || code <= 32;
}
