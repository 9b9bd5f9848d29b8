import { textOfBytes } from './parameters/percent-decoded.ts';

/** As at the platform (`DEFAULT_MAX_DEPTH`): a value may have a hundred levels. */
const MAX_DEPTH = 100;
const [QUOTE, BACKSLASH, LETTER_U] = [0x22, 0x5c, 0x75];
const ESCAPED = new Map([...'bfnrt'].map((letter, at) => [letter.charCodeAt(0), '\b\f\n\r\t'[at] as string]));
const NUMBER = /[-+.0-9][-+.0-9eE]*/y;
const SPACE = /[ \t\r\n]*/y;
const HEX = /^[0-9a-f]{4}$/i;

/**
 * Reads JSON as the platform does (`JsonBuilder.cpp`), which is more lenient than the standard: a backslash before any other
 * letter means that letter, line breaks may stand in strings, and what looks like a number is one.
 */
export class JsonReader {
  /** Each character is a byte. */
  readonly #bytes: string;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes.toString('latin1');
  }

  /** True if nothing is left, not even a space. */
  isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  skipSpace(): void {
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#bytes);
    this.#at = SPACE.lastIndex;
  }

  /** True if the character comes next; skips the spaces before it in any case. */
  isAt(char: string): boolean {
    this.skipSpace();
    return this.#bytes[this.#at] === char;
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
    if (this.#bytes.charCodeAt(this.#at) !== QUOTE) return null;
    const from = this.#at + 1;
    const quote = this.#bytes.indexOf('"', from);
    if (quote === -1) return null;
    const plain = this.#bytes.slice(from, quote);
    this.#at = plain.includes('\\') ? from : quote + 1;
    const bytes = this.#at === from ? this.#readEscaped() : plain;
    return bytes === null ? null : textOfBytes(bytes);
  }

  /** The raw text of the value that begins here; null if it is malformed. */
  readRaw(): string | null {
    const from = this.#at;
    return this.#readValue(MAX_DEPTH, false) === undefined ? null : textOfBytes(this.#bytes.slice(from, this.#at));
  }

  /** The value that begins here; undefined if it is malformed. Of members with the same name, the first counts. */
  readValue(): unknown {
    return this.#readValue(MAX_DEPTH, true);
  }

  /** Lists and objects stay empty unless `keep`. */
  #readValue(depth: number, keep: boolean): unknown {
    if (depth < 0) return undefined;
    if (this.isAtString()) return this.readString() ?? undefined;
    switch (this.#bytes[this.#at]) {
      case '[':
        return this.#readArray(depth, keep);
      case '{':
        return this.#readObject(depth, keep);
      case 't':
        return this.#readWord('true', true);
      case 'f':
        return this.#readWord('false', false);
      case 'n':
        return this.#readWord('null', null);
      default:
        return this.#readNumber();
    }
  }

  #readArray(depth: number, keep: boolean): unknown[] | undefined {
    const values: unknown[] = [];
    this.skip('[');
    if (this.skip(']')) return values;
    for (;;) {
      const value = this.#readValue(depth - 1, keep);
      if (value === undefined) return undefined;
      if (keep) values.push(value);
      if (this.skip(']')) return values;
      if (!this.skip(',')) return undefined;
    }
  }

  #readObject(depth: number, keep: boolean): Record<string, unknown> | undefined {
    const members = new Map<string, unknown>();
    this.skip('{');
    if (this.skip('}')) return {};
    for (;;) {
      const name = this.isAtString() ? this.readString() : null;
      if (name === null || !this.skip(':')) return undefined;
      const value = this.#readValue(depth - 1, keep);
      if (value === undefined) return undefined;
      if (keep && !members.has(name)) members.set(name, value);
      if (this.skip('}')) return Object.fromEntries(members);
      if (!this.skip(',')) return undefined;
    }
  }

  #readWord<Value>(word: string, value: Value): Value | undefined {
    if (!this.#bytes.startsWith(word, this.#at)) return undefined;
    this.#at += word.length;
    return value;
  }

  #readNumber(): number | undefined {
    NUMBER.lastIndex = this.#at;
    const digits = NUMBER.exec(this.#bytes)?.[0];
    if (digits === undefined) return undefined;
    this.#at += digits.length;
    return Number(digits);
  }

  /** The bytes of a string whose content begins here. */
  #readEscaped(): string | null {
    const bytes = this.#bytes;
    let read = '';
    let from = this.#at;
    for (let at = from; at < bytes.length; at++) {
      const code = bytes.charCodeAt(at);
      if (code === QUOTE) {
        this.#at = at + 1;
        return read + bytes.slice(from, at);
      }
      if (code !== BACKSLASH) continue;
      read += bytes.slice(from, at);
      const escaped = bytes.charCodeAt(at + 1);
      if (escaped === LETTER_U) {
        const point = codePointAt(bytes, at);
        if (point === null) return null;
        read += utf8(point.code);
        at += point.length - 1;
        from = at + 1;
      } else {
        const meant = ESCAPED.get(escaped);
        if (meant !== undefined) read += meant;
        from = meant === undefined ? at + 1 : at + 2;
        at += 1;
      }
    }
    return null;
  }
}

/** A value as the platform reads the JSON in a parameter; undefined if it is malformed. */
export function parsePlatformJson(text: string): unknown {
  const json = new JsonReader(Buffer.from(text));
  const value = json.readValue();
  json.skipSpace();
  return json.isAtEnd() ? value : undefined;
}

/** The code point of the escape at `at`. Any two surrogates in a row make one; one alone stays as it is. */
function codePointAt(bytes: string, at: number): { code: number; length: number } | null {
  const first = hexAt(bytes, at + 2);
  if (first === null) return null;
  if (!isSurrogate(first) || !bytes.startsWith('\\u', at + 6) || bytes.length < at + 12)
    return { code: first, length: 6 };
  const second = hexAt(bytes, at + 8);
  if (second === null) return null;
  if (!isSurrogate(second)) return { code: first, length: 6 };
  return { code: (((first & 0x3ff) << 10) | (second & 0x3ff)) + 0x10000, length: 12 };
}

function hexAt(bytes: string, at: number): number | null {
  const digits = bytes.slice(at, at + 4);
  return HEX.test(digits) ? Number.parseInt(digits, 16) : null;
}

function isSurrogate(code: number): boolean {
  return code > 0xd7ff && code < 0xe000;
}

/** UTF-8 as the platform writes it, which has three bytes also for a lone surrogate. */
function utf8(code: number): string {
  if (code <= 0x7f) return String.fromCharCode(code);
  const tail = (shift: number) => 0x80 | ((code >> shift) & 0x3f);
  if (code <= 0x7ff) return String.fromCharCode(0xc0 | (code >> 6), tail(0));
  if (code <= 0xffff) return String.fromCharCode(0xe0 | (code >> 12), tail(6), tail(0));
  return String.fromCharCode(0xf0 | (code >> 18), tail(12), tail(6), tail(0));
}
