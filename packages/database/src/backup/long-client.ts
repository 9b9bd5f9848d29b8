import type { PasswordSource } from '@flotilla/runtime/password-source.ts';
import type pg from 'pg';
import { clientWithPassword } from '../client-with-password.ts';

/** A database, and what reads the password of each connection in place of the one in `url`. */
export type DatabaseLogin = { url: string; readPassword?: PasswordSource | undefined };

/** A connection without a time limit for statements, whatever the server or the role sets. */
export function longClient({ url, readPassword }: DatabaseLogin, applicationName: string): pg.Client {
  const client = new (clientWithPassword(readPassword))({
    connectionString: url,
    application_name: applicationName,
    options: '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0',
    keepAlive: true,
  });
  // The end of a connection rejects the query in flight. Without a listener it would also end the process.
  client.on('error', () => {});
  return client;
}
