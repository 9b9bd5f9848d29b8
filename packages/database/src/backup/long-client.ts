import type { PasswordSource } from '@flotilla/runtime/password-source.ts';
import type pg from 'pg';
import { clientWithPassword, logIn } from '../client-with-password.ts';

/** A database, and what reads the password of each connection in place of the one in `url`. */
export type DatabaseLogin = { url: string; readPassword?: PasswordSource | undefined };

const CONNECT_TIMEOUT_MS = 10_000;

/** Connects without a time limit for statements, whatever the server or the role sets. The connection itself has 10 s. */
export function connectLong({ url, readPassword }: DatabaseLogin, applicationName: string): Promise<pg.Client> {
  const Client = clientWithPassword(readPassword);
  return logIn(readPassword, async () => {
    const client = new Client({
      connectionString: url,
      application_name: applicationName,
      options: '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    // The end of a connection rejects the query in flight. Without a listener it would also end the process.
    client.on('error', () => {});
    await client.connect();
    return client;
  });
}
