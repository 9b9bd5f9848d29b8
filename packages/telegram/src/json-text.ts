/**
 * Offsets in JSON text. Values are found without decoding, so that every digit and byte survives. Nested values are
 * skipped without recursion, whatever their depth. -1 means that the text is malformed or cut off.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The offset of the first character at or after `at` that is not JSON whitespace. */
export function skipSpace(text: string, at: number): number {
  let position = at;
  while (isSpace(text.charCodeAt(position))) position++;
  return position;
}

/** The offset after the value that begins at `at`. A number or a word ends before the next delimiter. */
export function skipValue(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return skipString(text, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipContainer(text, at);
  let position = at;
  while (position < text.length && !endsScalar(text.charCodeAt(position))) position++;
  return position === at || position === text.length ? -1 : position;
}

/** The offset after the closing quote of the string that begins at `at`. */
export function skipString(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? -1 : quote + 1;
}

/**
 * Calls `visit` with each member of the object that begins at `at`. `visit` returns the offset after the value, or -1
 * to stop. Returns the offset after the object.
 */
export function scanObject(text: string, at: number, visit: (key: string, valueStart: number) => number): number {
  if (text.charCodeAt(at) !== OPEN_BRACE) return -1;
  let position = skipSpace(text, at + 1);
  if (text.charCodeAt(position) === CLOSE_BRACE) return position + 1;
  while (text.charCodeAt(position) === QUOTE) {
    const keyEnd = skipString(text, position);
    if (keyEnd === -1) return -1;
    const colon = skipSpace(text, keyEnd);
    if (text.charCodeAt(colon) !== COLON) return -1;
    const key = unquoted(text.slice(position, keyEnd));
    const end = visit(key, skipSpace(text, colon + 1));
    if (end === -1) return -1;
    position = skipSpace(text, end);
    if (text.charCodeAt(position) === CLOSE_BRACE) return position + 1;
    if (text.charCodeAt(position) !== COMMA) return -1;
    position = skipSpace(text, position + 1);
  }
  return -1;
}

/** Like scanObject, for the elements of the array that begins at `at`. */
export function scanArray(text: string, at: number, visit: (valueStart: number) => number): number {
  let position = skipSpace(text, at + 1);
  if (text.charCodeAt(position) === CLOSE_BRACKET) return position + 1;
  for (;;) {
    const end = visit(position);
    if (end === -1) return -1;
    position = skipSpace(text, end);
    if (text.charCodeAt(position) === CLOSE_BRACKET) return position + 1;
    if (text.charCodeAt(position) !== COMMA) return -1;
    position = skipSpace(text, position + 1);
  }
}

/**
 * Calls `onMember` with the name and the raw text of each member of an object. Returns false when the text is no
 * object, malformed or cut off; `onMember` has then had the members before the fault.
 */
export function scanMembers(text: string, onMember: (name: string, raw: string) => void): boolean {
  const end = scanObject(text, skipSpace(text, 0), (name, start) => {
    const valueEnd = skipValue(text, start);
    if (valueEnd !== -1) onMember(name, text.slice(start, valueEnd));
    return valueEnd;
  });
  return end !== -1;
}

/** The value of a string literal, so that two spellings of a text are equal. A malformed one only loses its quotes. */
export function unquoted(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    return JSON.parse(literal);
  } catch {
    return literal.slice(1, -1);
  }
}

function skipContainer(text: string, at: number): number {
  let depth = 0;
  let position = at;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) {
      position = skipString(text, position);
      if (position === -1) return -1;
      continue;
    }
    position++;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) return position;
  }
  return -1;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function endsScalar(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || code <= 0x20;
}
