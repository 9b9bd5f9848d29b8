import { digitOf } from './parameters/percent-decoded.ts';

/** The platform's limit (`DEFAULT_MAX_DEPTH`): a value may have a hundred levels. */
const MAX_DEPTH = 100;
const [QUOTE, BACKSLASH, OPEN_BRACKET, OPEN_BRACE] = [0x22, 0x5c, 0x5b, 0x7b];
const [LETTER_E, LETTER_F, LETTER_N, LETTER_T, LETTER_U] = [0x65, 0x66, 0x6e, 0x74, 0x75];
const [PLUS, MINUS, DOT, ZERO, NINE] = [0x2b, 0x2d, 0x2e, 0x30, 0x39];
const [TAB, LINE_FEED, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
/** By the byte behind a backslash: the byte that is meant. */
const ESCAPED = Uint8Array.from({ length: 256 }, (_, byte) => byte);
for (const [at, letter] of [...'bfnrt'].entries()) ESCAPED[letter.charCodeAt(0)] = '\b\f\n\r\t'.charCodeAt(at);

/**
 * Reads JSON as the platform does (`JsonBuilder.cpp`), which is more lenient than the standard: a backslash before any other
 * letter means that letter, line breaks may stand in strings, and what looks like a number is one.
 */
export class JsonReader {
  readonly #bytes: Buffer;
  #at = 0;
  /** Where strings with escapes are written, one after the other. */
  #room: Buffer | null = null;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** True if nothing is left, not even a space. */
  isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  skipSpace(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < bytes.length && isSpace(bytes[at] as number)) at += 1;
    this.#at = at;
  }

  /** True if the character comes next; skips the spaces before it in any case. */
  isAt(char: string): boolean {
    this.skipSpace();
    return this.#bytes[this.#at] === char.charCodeAt(0);
  }

  isAtString(): boolean {
    return this.isAt('"');
  }

  /** Skips spaces, then the character; false if another one comes next. */
  skip(char: string): boolean {
    if (!this.isAt(char)) return false;
    this.#at += 1;
    return true;
  }

  /** The text of the string that begins here; null if none does, or if it is malformed. */
  readString(): string | null {
    const bytes = this.#bytes;
    if (bytes[this.#at] !== QUOTE) return null;
    const from = this.#at + 1;
    let end = from;
    while (end < bytes.length && bytes[end] !== QUOTE && bytes[end] !== BACKSLASH) end += 1;
    if (bytes[end] === QUOTE) {
      this.#at = end + 1;
      return bytes.toString('utf8', from, end);
    }
    // A character has fewer bytes than its escape.
    this.#room ??= Buffer.allocUnsafe(bytes.length);
    const length = this.#readEscaped(this.#room);
    return length === -1 ? null : this.#room.toString('utf8', 0, length);
  }

  /** The raw text of the value that begins here; null if it is malformed. */
  readRaw(): string | null {
    const from = this.#at;
    return this.#readValue(MAX_DEPTH, false) === undefined ? null : this.#bytes.toString('utf8', from, this.#at);
  }

  /** The value that begins here; undefined if it is malformed. Of members with the same name, the first counts. */
  readValue(): unknown {
    return this.#readValue(MAX_DEPTH, true);
  }

  /** Null instead of the value unless `keep`; undefined if it is malformed. */
  #readValue(depth: number, keep: boolean): unknown {
    if (depth < 0) return undefined;
    this.skipSpace();
    switch (this.#bytes[this.#at]) {
      case QUOTE:
        return keep ? (this.readString() ?? undefined) : this.#skipString();
      case OPEN_BRACKET:
        return this.#readArray(depth, keep);
      case OPEN_BRACE:
        return this.#readObject(depth, keep);
      case LETTER_T:
        return this.#readWord('true', true);
      case LETTER_F:
        return this.#readWord('false', false);
      case LETTER_N:
        return this.#readWord('null', null);
      default:
        return this.#readNumber(keep);
    }
  }

  #readArray(depth: number, keep: boolean): unknown[] | null | undefined {
    const values: unknown[] | null = keep ? [] : null;
    this.skip('[');
    if (this.skip(']')) return values;
    for (;;) {
      const value = this.#readValue(depth - 1, keep);
      if (value === undefined) return undefined;
      values?.push(value);
      if (this.skip(']')) return values;
      if (!this.skip(',')) return undefined;
    }
  }

  #readObject(depth: number, keep: boolean): Record<string, unknown> | null | undefined {
    const members = keep ? new Map<string, unknown>() : null;
    this.skip('{');
    if (this.skip('}')) return members && {};
    for (;;) {
      if (!this.isAtString()) return undefined;
      const name = keep ? this.readString() : this.#skipString();
      if (name === undefined || (keep && name === null) || !this.skip(':')) return undefined;
      const value = this.#readValue(depth - 1, keep);
      if (value === undefined) return undefined;
      if (members !== null && name !== null && !members.has(name)) members.set(name, value);
      if (this.skip('}')) return members && Object.fromEntries(members);
      if (!this.skip(',')) return undefined;
    }
  }

  #readWord<Value>(word: string, value: Value): Value | undefined {
    for (let at = 0; at < word.length; at++) {
      if (this.#bytes[this.#at + at] !== word.charCodeAt(at)) return undefined;
    }
    this.#at += word.length;
    return value;
  }

  #readNumber(keep: boolean): number | null | undefined {
    const bytes = this.#bytes;
    const from = this.#at;
    let at = from;
    while (at < bytes.length && isOfNumber(bytes[at] as number, at === from)) at += 1;
    if (at === from) return undefined;
    this.#at = at;
    return keep ? Number(bytes.toString('latin1', from, at)) : null;
  }

  #skipString(): null | undefined {
    return this.#readEscaped(null) === -1 ? undefined : null;
  }

  /** Writes the bytes of the string that begins here to `to`. Returns their number, or -1 for a malformed string. */
  #readEscaped(to: Buffer | null): number {
    const bytes = this.#bytes;
    let length = 0;
    for (let at = this.#at + 1; at < bytes.length; at++) {
      let byte = bytes[at] as number;
      if (byte === QUOTE) {
        this.#at = at + 1;
        return length;
      }
      if (byte === BACKSLASH) {
        at += 1;
        if (bytes[at] === LETTER_U) {
          const point = codePointAt(bytes, at + 1);
          if (point === -1) return -1;
          if (to !== null) length = writeUtf8(to, length, point);
          at += point > 0xffff ? 10 : 4;
          continue;
        }
        if (at === bytes.length) return -1;
        byte = ESCAPED[bytes[at] as number] as number;
      }
      if (to !== null) to[length] = byte;
      length += 1;
    }
    return -1;
  }
}

/** A value as the platform reads the JSON in a parameter; undefined if it is malformed. */
export function parsePlatformJson(text: string): unknown {
  const json = new JsonReader(Buffer.from(text));
  const value = json.readValue();
  json.skipSpace();
  return json.isAtEnd() ? value : undefined;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === RETURN || byte === TAB;
}

function isOfNumber(byte: number, isFirst: boolean): boolean {
  if (byte >= ZERO && byte <= NINE) return true;
  return byte === MINUS || byte === DOT || byte === PLUS || (!isFirst && (byte | 0x20) === LETTER_E);
}

/**
 * The code point whose digits begin at `at`, or -1 if they are none. Any two surrogates in a row make one, beyond 0xffff; one
 * alone stays as it is.
 */
function codePointAt(bytes: Buffer, at: number): number {
  const first = hexAt(bytes, at);
  const isFollowed = bytes[at + 4] === BACKSLASH && bytes[at + 5] === LETTER_U && at + 10 <= bytes.length;
  if (!isSurrogate(first) || !isFollowed) return first;
  const second = hexAt(bytes, at + 6);
  if (second === -1) return -1;
  return isSurrogate(second) ? (((first & 0x3ff) << 10) | (second & 0x3ff)) + 0x10000 : first;
}

/** The value of four hexadecimal digits; -1 if they are none. */
function hexAt(bytes: Buffer, at: number): number {
  let value = 0;
  for (let digit = at; digit < at + 4; digit++) {
    const of = digit < bytes.length ? digitOf(bytes[digit] as number) : -1;
    if (of === -1) return -1;
    value = value * 16 + of;
  }
  return value;
}

function isSurrogate(code: number): boolean {
  return code > 0xd7ff && code < 0xe000;
}

/** UTF-8 as the platform writes it, which has three bytes also for a lone surrogate. Returns where it ends. */
function writeUtf8(to: Buffer, from: number, code: number): number {
  let at = from;
  const tail = (shift: number) => 0x80 | ((code >> shift) & 0x3f);
  if (code <= 0x7f) to[at++] = code;
  else if (code <= 0x7ff) {
    to[at++] = 0xc0 | (code >> 6);
    to[at++] = tail(0);
  } else if (code <= 0xffff) {
    to[at++] = 0xe0 | (code >> 12);
    to[at++] = tail(6);
    to[at++] = tail(0);
  } else {
    to[at++] = 0xf0 | (code >> 18);
    to[at++] = tail(12);
    to[at++] = tail(6);
    to[at++] = tail(0);
  }
  return at;
}
