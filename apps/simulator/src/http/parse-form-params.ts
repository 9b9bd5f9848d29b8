import { addValue, type Params } from './params.ts';

const [AMPERSAND, EQUALS, PERCENT, PLUS, SPACE] = [...'&=%+ '].map((char) => char.charCodeAt(0)) as [
  number,
  ...number[],
];

/** Reads urlencoded pairs; an empty pair is a parameter without a name (HttpReader.cpp:609-629). */
export function parseFormParams(params: Params, form: Buffer): void {
  for (let at = 0; at < form.length; ) {
    const ampersand = form.indexOf(AMPERSAND, at);
    const pair = form.subarray(at, ampersand < 0 ? form.length : ampersand);
    const equals = pair.indexOf(EQUALS as number);
    const [name, value] = equals < 0 ? [pair, Buffer.alloc(0)] : [pair.subarray(0, equals), pair.subarray(equals + 1)];
    addValue(params, decodeUrl(name, true).toString(), decodeUrl(value, true).toString());
    at += pair.length + 1;
  }
}

/** Decodes what is a percent sign and two hex digits, and keeps every other byte (td:tdutils/td/utils/misc.cpp:172-188). */
export function decodeUrl(bytes: Buffer, plusIsSpace: boolean): Buffer {
  const decoded = Buffer.alloc(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const [high, low] = [hexDigit(bytes[at + 1]), hexDigit(bytes[at + 2])];
    if (bytes[at] === PERCENT && high >= 0 && low >= 0) {
      decoded[length] = high * 16 + low;
      at += 2;
    } else decoded[length] = plusIsSpace && bytes[at] === PLUS ? (SPACE as number) : bytes[at]!;
    length += 1;
  }
  return decoded.subarray(0, length);
}

/** -1 for a byte that is none. */
export function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1;
}
