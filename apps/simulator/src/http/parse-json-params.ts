import { addValue, type Params } from './params.ts';
import { hexDigit } from './parse-form-params.ts';

const MAX_DEPTH = 100;
const byteOf = (char: string) => char.charCodeAt(0);
const [QUOTE, BACKSLASH, OPEN, CLOSE, COLON, COMMA] = [0x22, 0x5c, 0x7b, 0x7d, 0x3a, 0x2c];
const SHORT = new Map([
  [byteOf('b'), 0x08],
  [byteOf('f'), 0x0c],
  [byteOf('n'), 0x0a],
  [byteOf('r'), 0x0d],
  [byteOf('t'), 0x09],
]);

/** Thrown where the platform stops reading. */
class Malformed extends Error {}

/**
 * Reads a top-level JSON object as the platform does: unescapes strings, keeps other values as raw text, and stops at a fault
 * without losing what came before it (HttpReader.cpp:631-707, JsonBuilder.cpp:140-500).
 */
export function parseJsonParams(params: Params, body: Buffer): void {
  const json = new JsonCursor(body);
  try {
    readTop(params, json);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
  }
}

function readTop(params: Params, json: JsonCursor): void {
  json.skipSpace();
  if (json.peek() === QUOTE) {
    const content = json.decodeString();
    if (json.isEmpty()) addValue(params, 'content', content.toString());
    return;
  }
  json.expect(OPEN);
  for (;;) {
    json.skipSpace();
    if (json.trySkip(CLOSE)) return;
    const name = json.decodeString();
    json.skipSpace();
    json.expect(COLON);
    json.skipSpace();
    const value = json.peek() === QUOTE ? json.decodeString() : json.rawValue();
    addValue(params, name.toString(), value.toString());
    json.skipSpace();
    if (json.peek() !== CLOSE) json.expect(COMMA);
  }
}

class JsonCursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** 0 at the end, as at the platform. */
  peek(): number {
    return this.#bytes[this.#at] ?? 0;
  }

  isEmpty(): boolean {
    return this.#at >= this.#bytes.length;
  }

  trySkip(byte: number): boolean {
    if (this.isEmpty() || this.#bytes[this.#at] !== byte) return false;
    this.#at += 1;
    return true;
  }

  expect(byte: number): void {
    if (!this.trySkip(byte)) throw new Malformed();
  }

  skipSpace(): void {
    while ([0x20, 0x09, 0x0d, 0x0a].includes(this.peek())) this.#at += 1;
  }

  decodeString(): Buffer {
    this.expect(QUOTE);
    const plain = this.#bytes.subarray(this.#at, Math.max(this.#at, this.#bytes.indexOf(QUOTE, this.#at)));
    if (!plain.includes(BACKSLASH)) {
      this.#at += plain.length;
      this.expect(QUOTE);
      return plain;
    }
    const decoded: number[] = [];
    for (;;) {
      const byte = this.#next();
      if (byte === QUOTE) return Buffer.from(decoded);
      if (byte !== BACKSLASH) decoded.push(byte);
      else {
        const escaped = this.#next();
        if (escaped === byteOf('u')) decoded.push(...utf8(this.#codePoint()));
        else decoded.push(SHORT.get(escaped) ?? escaped);
      }
    }
  }

  rawValue(): Buffer {
    const from = this.#at;
    this.#skipValue(MAX_DEPTH);
    return this.#bytes.subarray(from, this.#at);
  }

  #next(): number {
    if (this.isEmpty()) throw new Malformed();
    this.#at += 1;
    return this.#bytes[this.#at - 1]!;
  }

  /** Four hex digits; a surrogate and another one behind it are one code point. */
  #codePoint(): number {
    const first = this.#fourDigits();
    const behind = this.#at;
    const mayPair = isSurrogate(first) && behind + 6 <= this.#bytes.length;
    if (!mayPair || this.#bytes.toString('latin1', behind, behind + 2) !== '\\u') return first;
    this.#at += 2;
    const second = this.#fourDigits();
    if (isSurrogate(second)) return (((first & 0x3ff) << 10) | (second & 0x3ff)) + 0x10000;
    this.#at = behind;
    return first;
  }

  #fourDigits(): number {
    let code = 0;
    for (let digits = 0; digits < 4; digits += 1) {
      const digit = hexDigit(this.#next());
      if (digit < 0) throw new Malformed();
      code = code * 16 + digit;
    }
    return code;
  }

  #skipValue(depth: number): void {
    if (depth < 0) throw new Malformed();
    this.skipSpace();
    const char = String.fromCharCode(this.peek());
    if (char === '"') this.decodeString();
    else if (char === '[') this.#skipList(byteOf(']'), () => this.#skipValue(depth - 1));
    else if (char === '{') this.#skipList(CLOSE, () => this.#skipMember(depth));
    else if (char === 't') this.#skipWord('true');
    else if (char === 'f') this.#skipWord('false');
    else if (char === 'n') this.#skipWord('null');
    else this.#skipNumber();
  }

  #skipList(end: number, skipOne: () => void): void {
    this.#at += 1;
    this.skipSpace();
    if (this.trySkip(end)) return;
    for (;;) {
      skipOne();
      this.skipSpace();
      if (this.trySkip(end)) return;
      this.expect(COMMA);
      this.skipSpace();
    }
  }

  #skipMember(depth: number): void {
    this.decodeString();
    this.skipSpace();
    this.expect(COLON);
    this.#skipValue(depth - 1);
  }

  #skipWord(word: string): void {
    for (const char of word) this.expect(byteOf(char));
  }

  #skipNumber(): void {
    const from = this.#at;
    while (!this.isEmpty() && '-+.0123456789eE'.includes(String.fromCharCode(this.peek()))) this.#at += 1;
    // A number does not begin with the letter of its exponent.
    if (this.#at === from || 'eE'.includes(String.fromCharCode(this.#bytes[from]!))) throw new Malformed();
  }
}

function isSurrogate(code: number): boolean {
  return 0xd7ff < code && code < 0xe000;
}

/** Three bytes also for a lone surrogate. */
function utf8(code: number): number[] {
  const rest = (bits: number) => 0x80 | ((code >> bits) & 0x3f);
  if (code <= 0x7f) return [code];
  if (code <= 0x7ff) return [0xc0 | (code >> 6), rest(0)];
  if (code <= 0xffff) return [0xe0 | (code >> 12), rest(6), rest(0)];
  return [0xf0 | (code >> 18), rest(12), rest(6), rest(0)];
}
