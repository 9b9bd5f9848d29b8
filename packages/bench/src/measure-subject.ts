import { rm } from 'node:fs/promises';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { migrateToLatest } from '@flotilla/database/migrate.ts';
import { startPostgres } from '@flotilla/embedded/start-postgres.ts';
import { beginProgram } from '@flotilla/runtime/begin-program.mjs';
import { administer, databaseUrl } from '@flotilla/testing/postgres.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { SUBJECTS } from './subjects.ts';

/** Measures one subject, on a Postgres of its own, which syncs as a real one does. */
async function measure(name: string, number?: string): Promise<void> {
  const dataDir = await throwAwayDir();
  const postgres = await startPostgres({ dataDir, throwAway: true, durable: true });
  try {
    await administer(postgres.url, `create database bench_${name}`);
    const url = databaseUrl(postgres.url, `bench_${name}`);
    const db = connectDatabase({ url, maxConnections: 1, queryTimeoutMs: null });
    await migrateToLatest(db);
    await db.destroy();
    await SUBJECTS[name as keyof typeof SUBJECTS]({ url, ...(number === undefined ? {} : { rows: Number(number) }) });
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

process.once('disconnect', () => process.exit(1));
const [name, number] = process.argv.slice(2);
if (name === 'history') beginProgram('worker');
await measure(name!, number);
process.exit(0);
