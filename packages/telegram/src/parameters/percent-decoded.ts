const [PERCENT, PLUS, SPACE] = [0x25, 0x2b, 0x20];
const HEX = '0123456789abcdef';
const NOT_ASCII = /[^\0-\x7f]/;
/** By byte: the value of a hexadecimal digit, or -1. */
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) => HEX.indexOf(String.fromCharCode(byte).toLowerCase()));

/** Percent-decodes as the platform does. Invalid escapes stay as they are. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return decodedText(Buffer.from(text));
  }
}

/** The text of UTF-8 whose percent escapes are decoded; with `plusIsSpace`, pluses are spaces. */
export function decodedText(bytes: Buffer, from = 0, to = bytes.length, plusIsSpace = false): string {
  const plus = plusIsSpace ? PLUS : PERCENT;
  let at = from;
  while (at < to && bytes[at] !== PERCENT && bytes[at] !== plus) at += 1;
  if (at === to) return bytes.toString('utf8', from, to);
  const decoded = Buffer.allocUnsafe(to - from);
  let length = bytes.copy(decoded, 0, from, at);
  while (at < to) {
    const byte = bytes[at] as number;
    // Negative if one of the two is no digit.
    const escaped =
      byte === PERCENT && at + 2 < to ? (digitOf(bytes[at + 1] as number) << 4) | digitOf(bytes[at + 2] as number) : -1;
    if (escaped >= 0) decoded[length] = escaped;
    else decoded[length] = byte === PLUS && plusIsSpace ? SPACE : byte;
    length += 1;
    at += escaped >= 0 ? 3 : 1;
  }
  return decoded.toString('utf8', 0, length);
}

/** The value of a hexadecimal digit; -1 for any other byte. */
export function digitOf(byte: number): number {
  return DIGITS[byte] as number;
}

/** The text of bytes that are UTF-8. Each character of `bytes` is one byte. */
export function textOfBytes(bytes: string): string {
  return NOT_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
}
