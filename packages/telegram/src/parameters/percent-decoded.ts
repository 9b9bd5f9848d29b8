/** Percent-decodes as the platform does. Invalid escapes stay as they are. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    const bytes = Buffer.from(text)
      .toString('latin1')
      .replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(bytes, 'latin1').toString('utf8');
  }
}
