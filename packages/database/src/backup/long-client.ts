import pg from 'pg';

/** A connection without a time limit for statements, whatever the server or the role sets. */
export function longClient(url: string, applicationName: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    options: '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0',
    keepAlive: true,
  });
  // The end of a connection rejects the query in flight. Without a listener it would also end the process.
  client.on('error', () => {});
  return client;
}
