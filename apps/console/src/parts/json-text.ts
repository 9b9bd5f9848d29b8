/** The value of a JSON text; undefined if it is none. */
export function parsedOrUndefined(text: string | null | undefined): unknown {
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** The same text with a field on each line, for people to edit; `text` itself if a number would be rounded. */
export function indented(text: string): string {
  const value = parsedOrUndefined(text);
  if (value === undefined || hasRounded(value)) return text;
  return JSON.stringify(value, null, 2);
}

function hasRounded(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasRounded);
}
