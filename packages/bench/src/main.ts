import { rm } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { migrateToLatest } from '@flotilla/database/migrate.ts';
import { startPostgres } from '@flotilla/embedded/start-postgres.ts';
import { administer, databaseUrl } from '@flotilla/testing/postgres.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { benchBots } from './bots.ts';
import { benchConsole } from './console.ts';
import { benchFleet } from './fleet.ts';
import { benchHistory } from './history.ts';
import { benchInbox } from './inbox.ts';
import { benchLive } from './live.ts';
import { benchNeighbours } from './neighbours.ts';
import { benchPrograms } from './programs.ts';
import { benchProxy } from './proxy.ts';
import { benchPull } from './pull.ts';
import { benchPush } from './push.ts';
import { benchRemoval } from './removal.ts';
import { benchScale } from './scale.ts';
import { benchSearch } from './search.ts';
import { benchSizing } from './sizing.ts';
import { benchSoak } from './soak.ts';

const SUBJECTS = {
  proxy: benchProxy,
  push: benchPush,
  pull: benchPull,
  fleet: benchFleet,
  history: benchHistory,
  bots: benchBots,
  console: benchConsole,
  live: benchLive,
  neighbours: benchNeighbours,
  programs: benchPrograms,
  search: benchSearch,
  inbox: benchInbox,
  removal: benchRemoval,
  sizing: benchSizing,
  scale: benchScale,
  soak: benchSoak,
};

/**
 * `npm run bench [proxy|push|pull|fleet|history|bots|console|live|neighbours|programs|search|inbox|removal|sizing|scale|soak …] [number]`
 * Prints the figures of one run on this machine with their targets. The number is the count of messages for search,
 * inbox and removal, of records for history, or the minutes of the soak.
 */
async function bench(wanted: string[]): Promise<void> {
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  process.stdout.write(
    `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${memoryGb} GB\n`,
  );
  const rows = wanted.map(Number).find((number) => number > 0);
  const names = wanted.filter((word) => Number.isNaN(Number(word)));
  const dataDir = await throwAwayDir();
  const postgres = await startPostgres({ dataDir, throwAway: true });
  try {
    for (const [name, subject] of Object.entries(SUBJECTS)) {
      if (names.length > 0 && !names.includes(name)) continue;
      await administer(postgres.url, `create database bench_${name}`);
      const url = databaseUrl(postgres.url, `bench_${name}`);
      const db = connectDatabase({ url, maxConnections: 1, queryTimeoutMs: null });
      await migrateToLatest(db);
      await db.destroy();
      await subject({ url, ...(rows === undefined ? {} : { rows }) });
    }
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

await bench(process.argv.slice(2));
process.exit(0);
