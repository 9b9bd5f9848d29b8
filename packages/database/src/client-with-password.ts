import type { PasswordSource } from '@flotilla/runtime/password-source.ts';
import pg from 'pg';
import { isRefusedLogin } from './is-unavailable.ts';

/** The client of `pg`, which asks for its password when the server does. `pg` lets a URL without one overrule its options. */
export function clientWithPassword(readPassword: PasswordSource | undefined): typeof pg.Client {
  if (readPassword === undefined) return pg.Client;
  const { read } = readPassword;
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      const password = () =>
        read().catch((error: unknown) => {
          setImmediate(() => closeSocket(this));
          throw error;
        });
      Object.assign(this, { password });
    }
  };
}

/** A refused password may have changed since it was read, so the login is tried once more with a newly read one. */
export function logIn<Connection>(
  readPassword: PasswordSource | undefined,
  connect: () => Promise<Connection>,
): Promise<Connection> {
  return connect().catch((error: unknown) => {
    if (readPassword === undefined || !isRefusedLogin(error)) throw error;
    readPassword.refused();
    return connect();
  });
}

/** `pg` reports a password that it could not get, but leaves the socket open; Postgres then waits a minute for the password. */
function closeSocket(client: pg.Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
