import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';
import type { PasswordSource } from '@flotilla/runtime/password-source.ts';
import { integerSetting } from '@flotilla/runtime/settings.ts';
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { clientWithPassword, logIn } from './client-with-password.ts';
import { type MeasureQuery, measurePool } from './measure-pool.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

const CONNECT_TIMEOUT_MS = 4_000;
/** Longer than the pauses of upkeep: to open a connection takes both sides some 10 ms of processor time. */
const IDLE_FOR_MS = 60_000;
const DEFAULT_QUERY_TIMEOUT_MS = 4_500;
const QUERY_TIMED_OUT = 'Query read timeout';
/** Far above any of our transactions. Postgres then releases the locks of a process that stopped inside one. */
const IDLE_IN_TRANSACTION_MS = 30_000;
const POOL_AT_MOST = 200;

export interface ConnectOptions {
  url: string;
  /** Reads the password of each connection, in place of the one in `url`. */
  readPassword?: PasswordSource | undefined;
  /** Shown by Postgres as `flotilla-<role>`. */
  role?: string;
  maxConnections: number;
  /** The limit for one statement; null is no limit (migrations, exports). Default 4.5 s. */
  queryTimeoutMs?: number | null;
  log?: Logger;
  /** Counts its queries and connections. */
  metrics?: Metrics;
}

/** The most connections to Postgres that a process opens. Idle ones close after a minute. */
export function poolSetting(defaultConnections: number) {
  return integerSetting({ min: 1, max: POOL_AT_MOST }).default(defaultConnections);
}

/**
 * A pool of connections behind Kysely, closed by `destroy()`. The first query connects. int8 is read as a number.
 * If Postgres does not answer, every query fails within 5 s with an error that `isUnavailable` recognises.
 */
export function connectDatabase(options: ConnectOptions): Database {
  const timeoutMs = options.queryTimeoutMs === undefined ? DEFAULT_QUERY_TIMEOUT_MS : options.queryTimeoutMs;
  const pool = new pg.Pool({
    connectionString: options.url,
    Client: clientWithPassword(options.readPassword),
    max: options.maxConnections,
    application_name: `flotilla-${options.role ?? 'other'}`,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_FOR_MS,
    keepAlive: true,
    types: { getTypeParser },
    // The planner takes our short searches for costly ones, and compiling such a search takes longer than running it.
    options: '-c jit=off',
    ...(timeoutMs === null ? {} : { statement_timeout: timeoutMs - 250 }),
  });
  // Without a listener, the loss of an idle connection would end the process. When we stop, Postgres may end first.
  pool.on('error', (error) => {
    if (!pool.ending) options.log?.warn({ err: error }, 'an idle database connection broke');
  });
  const measure = options.metrics === undefined ? null : measurePool(options.metrics, pool);
  const guardedPool = {
    options: pool.options,
    connect: async () => {
      const connected = logIn(options.readPassword, () => pool.connect());
      return guardedClient(await (measure === null ? connected : measure.wait(connected)), timeoutMs, measure);
    },
    end: () => pool.end(),
  };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: guardedPool }) });
}

function guardedClient(
  client: pg.PoolClient,
  timeoutMs: number | null,
  measure: MeasureQuery | null,
): PostgresPoolClient {
  // The pool listens to idle clients only. Without this listener, the end of a client in use would end the process.
  const ignore = () => {};
  client.on('error', ignore);
  let timedOut = false;
  const query = async (text: string, parameters: unknown[]) => {
    if (timedOut) throw new Error(QUERY_TIMED_OUT);
    try {
      const answer = answerOf(client, timeoutMs, text, parameters);
      return await (measure === null ? answer : measure.query(answer));
    } catch (error) {
      timedOut = error instanceof Error && error.message === QUERY_TIMED_OUT;
      throw error;
    }
  };
  const release = (discard?: boolean) => {
    client.off('error', ignore);
    // A timed-out statement still occupies its connection, and the next one would wait behind it.
    client.release(discard === true || timedOut);
  };
  const guarded = { query, release };
  return guarded as unknown as PostgresPoolClient;
}

/**
 * The answer to a query; rejects when there is none after `timeoutMs`. Instead of the promise and the timeout of `pg`: these
 * assign functions to a property, so V8 makes them old, and the texts of each query stay in memory until old garbage is
 * collected.
 */
function answerOf(
  client: pg.PoolClient,
  timeoutMs: number | null,
  text: string,
  parameters: unknown[],
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const timer = timeoutMs === null ? undefined : setTimeout(() => reject(new Error(QUERY_TIMED_OUT)), timeoutMs);
    client.query(text, parameters, (error, result) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(result);
    });
  });
}

function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === pg.types.builtins.INT8) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}
