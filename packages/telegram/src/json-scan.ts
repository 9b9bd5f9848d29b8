// Offsets in JSON text that JSON.parse has accepted: so only strings and brackets need looking at.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The offset of the first character from `at` on that is no JSON whitespace. */
export function skipSpace(text: string, at: number): number {
  let position = at;
  while (isSpace(text.charCodeAt(position))) position++;
  return position;
}

/** The offset just behind the value that begins at `at`. */
export function skipValue(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return skipString(text, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipContainer(text, at);
  let position = at;
  while (position < text.length && !endsScalar(text.charCodeAt(position))) position++;
  return position;
}

/**
 * Calls `visit` with each member of the object that begins at `at`; it returns the offset behind the value. Returns
 * the offset behind the object.
 */
export function scanObject(text: string, at: number, visit: (key: string, valueStart: number) => number): number {
  let position = skipSpace(text, at + 1);
  if (text.charCodeAt(position) === CLOSE_BRACE) return position + 1;
  for (;;) {
    const keyEnd = skipString(text, position);
    const key = readKey(text, position, keyEnd);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    position = skipSpace(text, visit(key, valueStart));
    if (text.charCodeAt(position) === CLOSE_BRACE) return position + 1;
    position = skipSpace(text, position + 1);
  }
}

/** As scanObject, for the elements of the array that begins at `at`. */
export function scanArray(text: string, at: number, visit: (valueStart: number) => number): number {
  let position = skipSpace(text, at + 1);
  if (text.charCodeAt(position) === CLOSE_BRACKET) return position + 1;
  for (;;) {
    position = skipSpace(text, visit(position));
    if (text.charCodeAt(position) === CLOSE_BRACKET) return position + 1;
    position = skipSpace(text, position + 1);
  }
}

function skipContainer(text: string, at: number): number {
  let depth = 0;
  let position = at;
  for (;;) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) {
      position = skipString(text, position);
      continue;
    }
    position++;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) return position;
  }
}

function skipString(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

// A key may be written with escapes; two spellings of one name are one name.
function readKey(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  return inner.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : inner;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function endsScalar(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isSpace(code);
}
