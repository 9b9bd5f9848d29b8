import pg from 'pg';

/** A connection whose statements take as long as they take, whatever the server or the role says of timeouts. */
export function longClient(url: string, applicationName: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    options: '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0',
    keepAlive: true,
  });
  // Its end rejects what is under way; without a listener it would end the process besides.
  client.on('error', () => {});
  return client;
}
