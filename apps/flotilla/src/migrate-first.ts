import { connectDatabase } from '@flotilla/database/connect.ts';
import { isRefusedLogin, isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { migrateToLatest } from '@flotilla/database/migrate.ts';
import type { ProcessConfig } from '@flotilla/domain/startup/open-process.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { retryWhileAway } from '@flotilla/runtime/retry-while-away.ts';

/** Migrates the database before the api and the worker look at it; waits while it is away. */
export async function migrateFirst(
  database: ProcessConfig['database'],
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const retry = retryWhileAway({
    isAway: (error) => isUnavailable(error) && !isRefusedLogin(error),
    onWait: (error) => report(`waiting for Postgres: ${String(error)}`),
    signal,
  });
  await retry(async () => {
    const db = connectDatabase({ ...database, role: 'migrate', maxConnections: 1, queryTimeoutMs: null });
    try {
      await migrateToLatest(db);
    } finally {
      await db.destroy();
    }
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    const { host, pathname } = new URL(database.url);
    const reason = error instanceof Error ? error.message || error.name : String(error);
    const sentence = `The database ${pathname.slice(1)} at ${host} could not be migrated: ${reason}.`;
    throw new FlotillaError('unavailable', sentence, { cause: error });
  });
}
