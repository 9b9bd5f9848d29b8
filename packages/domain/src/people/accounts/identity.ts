import type { Role } from '@flotilla/contract/accounts.ts';
import { isStorable } from '@flotilla/contract/inputs.ts';

/** The person at a provider, after everything about it was checked. */
export type Claims = { readonly sub: string; readonly [claim: string]: unknown };

/** A person at a provider, and what the provider decides about their account. */
export interface Identity {
  issuer: string;
  subject: string;
  username: string;
  display_name: string;
  /** Undefined: admins decide. */
  role: Role | undefined;
  /** null: all bots. Undefined: admins decide. */
  bot_ids: number[] | null | undefined;
  /** Beside `bot_ids`. */
  bot_labels: string[];
}

const USERNAME_LENGTH = 64;
const DISPLAY_NAME_LENGTH = 128;

/** The username and the name for a new account. Neither ever finds one: only issuer and subject do. */
export function namesOf({ sub, preferred_username, email, name }: Claims): Pick<Identity, 'username' | 'display_name'> {
  const [username = sub] = [preferred_username, email].flatMap((given) => textOf(given, USERNAME_LENGTH) ?? []);
  return {
    username: username.slice(0, USERNAME_LENGTH),
    display_name: textOf(name, DISPLAY_NAME_LENGTH) ?? '',
  };
}

function textOf(given: unknown, length: number): string | undefined {
  if (typeof given !== 'string' || !isStorable(given)) return undefined;
  const text = given.trim().replace(/^@/, '').slice(0, length);
  return text === '' || !isStorable(text) ? undefined : text;
}

/** The values of a claim: a list, or one text. A name with dots also finds a claim within others. Undefined: it is absent. */
export function valuesOf(claims: Claims, name: string): string[] | undefined {
  const found = Object.hasOwn(claims, name) ? claims[name] : withinClaims(claims, name.split('.'));
  if (typeof found === 'string' || typeof found === 'number') return [String(found)];
  if (!Array.isArray(found)) return undefined;
  return found.filter((value) => ['string', 'number'].includes(typeof value)).map(String);
}

function withinClaims(claims: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return claims;
  if (typeof claims !== 'object' || claims === null || !Object.hasOwn(claims, name)) return undefined;
  return withinClaims((claims as Record<string, unknown>)[name], rest);
}
