const ESCAPE = /%([0-9a-f]{2})/gi;
const NOT_ASCII = /[^\0-\x7f]/;

/** Percent-decodes as the platform does. Invalid escapes stay as they are. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return textOfBytes(percentDecodedBytes(Buffer.from(text).toString('latin1')));
  }
}

/** The same for a text whose characters are bytes. */
export function percentDecodedBytes(bytes: string): string {
  if (!bytes.includes('%')) return bytes;
  return bytes.replace(ESCAPE, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** The text of bytes that are UTF-8. Each character of `bytes` is one byte. */
export function textOfBytes(bytes: string): string {
  return NOT_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
}
