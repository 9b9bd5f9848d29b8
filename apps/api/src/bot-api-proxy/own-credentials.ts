import { SESSION_COOKIE } from '../auth/session.ts';

/** Headers that may carry a credential for our own API, which the platform must not get. */
export const CREDENTIAL_HEADERS = new Set(['cookie', 'authorization']);

/** Bearer schemes have any case, our keys begin in one. */
const OWN_KEY = /^[Bb][Ee][Aa][Rr][Ee][Rr]\s+flt_/;

/** The value of such a header without our credential, all other bytes kept; null when nothing is left of it. */
export function withoutOwnCredential(lowerCaseName: string, value: string): string | null {
  if (lowerCaseName === 'authorization') return OWN_KEY.test(value) ? null : value;
  const cookies = value.split(';');
  const others = cookies.filter((cookie) => !isOwnSession(cookie));
  if (others.length === cookies.length) return value;
  return others.join(';').trim() || null;
}

function isOwnSession(cookie: string): boolean {
  const equals = cookie.indexOf('=');
  return equals !== -1 && cookie.slice(0, equals).trim() === SESSION_COOKIE;
}
