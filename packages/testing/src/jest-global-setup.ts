import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { migrateToLatest } from '@flotilla/database/migrate.ts';
import { findRedis } from '@flotilla/embedded/find-redis.ts';
import { type EmbeddedPostgres, startPostgres } from '@flotilla/embedded/start-postgres.ts';
import { administer, databaseUrl, TEMPLATE } from './postgres.ts';
import { findPythonTelegramBot } from './python-telegram-bot.ts';
import { createRunFolder } from './run-folder.ts';
import { removeDir } from './throw-away-dir.ts';

/**
 * Starts a throw-away Postgres with a migrated template once per run. The test processes get its URL through their
 * environment, and the server ends with this process, however that ends.
 */
export default async function startTestPostgres(): Promise<void> {
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  // Install programs once, before the test files could install them side by side.
  await findRedis(report);
  await findPythonTelegramBot(report);
  const dataDir = createRunFolder();
  // All later temporary files of the run are in this folder, and are removed with it even when the run is killed.
  process.env.TMPDIR = dataDir;
  const postgres = await startPostgres({ dataDir, throwAway: true, report });
  await administer(postgres.url, `create database ${TEMPLATE}`);
  const db = connectDatabase({ url: databaseUrl(postgres.url, TEMPLATE), maxConnections: 1, queryTimeoutMs: null });
  await migrateToLatest(db);
  await db.destroy();
  migrateFurther(databaseUrl(postgres.url, TEMPLATE));
  process.env.TEST_POSTGRES_URL = postgres.url;
  const run = globalThis as { stopTestPostgres?: () => Promise<void> };
  run.stopTestPostgres = () => stop(postgres, dataDir);
}

/** MIGRATE_WITH names the checkout of a later release, which migrates further: our code must run on that schema too. */
function migrateFurther(url: string): void {
  const later = process.env.MIGRATE_WITH;
  if (later === undefined) return;
  const env = { PATH: process.env.PATH, DATABASE_URL: url };
  execFileSync(process.execPath, [join(later, 'packages/database/src/main.ts')], { env, stdio: 'inherit' });
}

async function stop(postgres: EmbeddedPostgres, dataDir: string): Promise<void> {
  await postgres.stop();
  await removeDir(dataDir);
}
