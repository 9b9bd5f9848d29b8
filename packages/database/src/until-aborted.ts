import { sql } from 'kysely';
import type { Database } from './connect.ts';

/**
 * Runs statements on one connection; when `signal` aborts, Postgres cancels the one that runs, and none begins any more. Throws the
 * signal's reason then.
 */
export async function untilAborted<Result>(
  db: Database,
  signal: AbortSignal,
  work: (connection: Database) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  return db.connection().execute(async (connection) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection);
    let cancelled: Promise<unknown> = Promise.resolve();
    const cancel = () => {
      // If the cancellation fails, the statement's own time limit ends it.
      cancelled = sql`select pg_cancel_backend(${rows[0]?.pid})`.execute(db).catch(() => undefined);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      signal.throwIfAborted();
      return await work(connection as Database);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener('abort', cancel);
      // The next user of the connection must not be cancelled.
      await cancelled;
    }
  });
}
