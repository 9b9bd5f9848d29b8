import type { PasswordSource } from '@flotilla/runtime/password-source.ts';
import pg from 'pg';

/** The client of `pg`, which asks for its password when the server does. `pg` lets a URL without one overrule its options. */
export function clientWithPassword(readPassword: PasswordSource | undefined): typeof pg.Client {
  if (readPassword === undefined) return pg.Client;
  const { read } = readPassword;
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      Object.assign(this, { password: read });
    }
  };
}
