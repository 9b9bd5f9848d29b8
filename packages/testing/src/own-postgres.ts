import { rm } from 'node:fs/promises';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { migrateToLatest } from '@flotilla/database/migrate.ts';
import { startPostgres } from '@flotilla/embedded/start-postgres.ts';
import { administer, connectTestDatabase, type TestDatabase } from './postgres.ts';
import { throwAwayDir } from './throw-away-dir.ts';

export type OwnPostgres = TestDatabase & {
  /** kill -9; resolves when all processes of the server have ended. */
  kill(): Promise<void>;
  /** Starts the killed server again on the same port, over its data. */
  restart(): Promise<void>;
};

/** A Postgres of this test file's own with a migrated, empty database. `drop` ends the server. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const dataDir = await throwAwayDir();
  let postgres = await startPostgres({ dataDir, throwAway: true });
  const { url, port } = postgres;
  // Without it, a kill loses what was committed just before.
  await administer(url, 'alter database flotilla set synchronous_commit = on');
  const migrating = connectDatabase({ url, maxConnections: 1, queryTimeoutMs: null });
  await migrateToLatest(migrating);
  await migrating.destroy();
  const db = connectTestDatabase(url);
  return {
    url,
    db,
    kill: async () => {
      postgres.kill();
      await postgres.exited;
    },
    restart: async () => {
      postgres = await startPostgres({ dataDir, throwAway: true, port });
    },
    drop: async () => {
      await db.destroy();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
