import { connectDatabase } from '@flotilla/database/connect.ts';
import { migrateToLatest } from '@flotilla/database/migrate.ts';
import { startPostgres } from '@flotilla/embedded/start-postgres.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { administer, connectTestDatabase, type TestDatabase } from './postgres.ts';
import { removeDir, throwAwayDir } from './throw-away-dir.ts';

export type OwnPostgres = TestDatabase & {
  /** kill -9; resolves when all processes of the server have ended. */
  kill(): Promise<void>;
  /** Starts the killed server again on the same port, over its data. */
  restart(): Promise<void>;
  /** Opens connections until this share of all is in use. The result closes them. */
  takeConnections(share: number): Promise<() => Promise<void>>;
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
    takeConnections: async (share) => {
      const { rows } = await sql<{ max: number }>`select current_setting('max_connections')::int as max`.execute(db);
      const length = Math.ceil((rows[0]?.max ?? 0) * share);
      const clients = Array.from({ length }, () => new pg.Client({ connectionString: url }));
      for (const client of clients) {
        client.on('error', () => undefined);
        await client.connect();
      }
      return async () => void (await Promise.all(clients.map((client) => client.end())));
    },
    drop: async () => {
      await db.destroy();
      await postgres.stop();
      await removeDir(dataDir);
    },
  };
}
