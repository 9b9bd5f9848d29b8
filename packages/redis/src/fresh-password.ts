import type { PasswordSource } from '@flotilla/runtime/password-source.ts';

/**
 * A password that is read anew for each connection. The client (ioredis 6.0.0) takes only a text, but makes a text of what it
 * was given no sooner than it sends AUTH: after `connectors.ts` has renewed this one.
 */
export type FreshPassword = {
  /** Resolves to the password for a login now. */
  renew(): Promise<string>;
  /** A login with it failed. */
  refused(): void;
  toString(): string;
};

export function freshPassword({ read, refused }: PasswordSource): FreshPassword {
  let current = '';
  return {
    renew: async () => {
      current = await read();
      return current;
    },
    refused,
    toString: () => current,
  };
}

export function isFreshPassword(password: unknown): password is FreshPassword {
  return typeof password === 'object' && password !== null && 'renew' in password;
}
