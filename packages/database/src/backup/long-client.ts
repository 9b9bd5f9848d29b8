import type { PasswordSource } from '@flotilla/runtime/password-source.ts';
import type pg from 'pg';
import { clientWithPassword, logIn } from '../client-with-password.ts';
import { readSqlState } from '../is-unavailable.ts';

/** A database, and what reads the password of each connection in place of the one in `url`. */
export type DatabaseLogin = { url: string; readPassword?: PasswordSource | undefined };

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Connects without a time limit for statements, whatever the server or the role sets. The connection itself has 10 s. Aborting ends
 * it, and so the statement in flight.
 */
export function connectLong(
  { url, readPassword }: DatabaseLogin,
  application_name: string,
  signal?: AbortSignal,
): Promise<pg.Client> {
  const Client = clientWithPassword(readPassword);
  return logIn(readPassword, async () => {
    const client = new Client({
      connectionString: url,
      application_name,
      options: '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    // The end of a connection rejects the query in flight. Without a listener it would also end the process.
    client.on('error', () => {});
    await client.connect();
    signal?.addEventListener('abort', () => void client.end().catch(() => {}), { once: true });
    await checkConnection(client);
    return client;
  });
}

/** After our death, a statement that takes hours would keep its locks, and a restore could not go on. */
async function checkConnection(client: pg.Client): Promise<void> {
  await client.query(`set client_connection_check_interval = '5s'`).catch((error: unknown) => {
    // The system of some servers cannot tell.
    if (readSqlState(error) === '') throw error;
  });
}
