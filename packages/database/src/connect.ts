import type { Logger } from '@flotilla/runtime/logger.ts';
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

const CONNECT_TIMEOUT_MS = 4_000;
const DEFAULT_QUERY_TIMEOUT_MS = 4_500;
const QUERY_TIMED_OUT = 'Query read timeout';

export interface ConnectOptions {
  url: string;
  maxConnections: number;
  /** How long one statement may take; null waits without end (migrations, exports). Default 4.5 s. */
  queryTimeoutMs?: number | null;
  log?: Logger;
}

/**
 * A pool of connections behind Kysely, ended by `destroy()`; nothing is connected before the first query. int8 is read as a number.
 * A Postgres that does not answer fails every query within 5 s with an error that `isUnavailable` knows.
 */
export function connectDatabase(options: ConnectOptions): Database {
  const timeoutMs = options.queryTimeoutMs === undefined ? DEFAULT_QUERY_TIMEOUT_MS : options.queryTimeoutMs;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser },
    // Searches are short but look costly to the planner: compiling one takes longer than running it.
    options: '-c jit=off',
    ...(timeoutMs === null ? {} : { query_timeout: timeoutMs, statement_timeout: timeoutMs - 250 }),
  });
  // Without a listener an idle connection's end would end the process.
  pool.on('error', (error) => options.log?.warn({ err: error }, 'an idle database connection broke'));
  const guardedPool = {
    options: pool.options,
    connect: async () => guardedClient(await pool.connect()),
    end: () => pool.end(),
  };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: guardedPool }) });
}

function guardedClient(client: pg.PoolClient): PostgresPoolClient {
  // The pool listens to idle clients only: the end of one in use rejects its query, and would end the process besides.
  const ignore = () => {};
  client.on('error', ignore);
  let timedOut = false;
  const query = async (text: string, parameters: unknown[]) => {
    if (timedOut) throw new Error(QUERY_TIMED_OUT);
    try {
      return await client.query(text, parameters);
    } catch (error) {
      timedOut = error instanceof Error && error.message === QUERY_TIMED_OUT;
      throw error;
    }
  };
  const release = (discard?: boolean) => {
    client.off('error', ignore);
    // A timed-out statement still occupies its connection: whatever came next would wait behind it.
    client.release(discard === true || timedOut);
  };
  const guarded = { query, release };
  return guarded as unknown as PostgresPoolClient;
}

function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === pg.types.builtins.INT8) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}
