import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object under `key`, or null when there is none. */
export function readObject(object: Fields, key: string): Fields | null {
  const value = object[key];
  return isFields(value) ? value : null;
}

/** The text under `key`, or null. NUL characters are left out, because Postgres cannot store them. */
export function readText(object: Fields, key: string): string | null {
  const value = object[key];
  if (typeof value !== 'string') return null;
  return value.includes('\u0000') ? value.replaceAll('\u0000', '') : value;
}

/** The integer under `key`, or null. Throws bad_request for one beyond 2^53, which parsing has rounded. */
export function readInteger(object: Fields, key: string): number | null {
  const value = object[key];
  if (typeof value !== 'number') return null;
  if (!Number.isSafeInteger(value)) throw new FlotillaError('bad_request', `${key} is not an exact integer: ${value}`);
  return value;
}

/** Like readInteger, but throws bad_request when the value is missing. */
export function requireInteger(object: Fields, key: string): number {
  const value = readInteger(object, key);
  if (value === null) throw new FlotillaError('bad_request', `${key} is missing or not a number`);
  return value;
}
