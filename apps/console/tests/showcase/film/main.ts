import { rm, writeFile } from 'node:fs/promises';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { migrateToLatest } from '@flotilla/database/migrate.ts';
import { startPostgres } from '@flotilla/embedded/start-postgres.ts';
import { startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { createRunFolder } from '@flotilla/testing/run-folder.ts';
import { draw } from './draw.ts';
import { play } from './play.ts';

/** Plays the film with real processes, and draws what happened: node main.ts <file>. */
async function makeFilm(file: string): Promise<void> {
  const parts = new AsyncDisposableStack();
  try {
    const report = (line: string) => void process.stderr.write(`${line}\n`);
    const dataDir = parts.adopt(createRunFolder(), (made) => rm(made, { recursive: true, force: true }));
    const postgres = parts.adopt(await startPostgres({ dataDir, throwAway: true, report }), (one) => one.stop());
    const db = parts.adopt(connectDatabase({ url: postgres.url, maxConnections: 2 }), (one) => one.destroy());
    await migrateToLatest(db);
    const size = { apis: 1, workers: 1 };
    const fleet = parts.adopt(await startFleet(size, { LOG_LEVEL: 'error' }, postgres), (one) => one.stop());
    await writeFile(file, draw(await play(fleet, parts)));
    process.stdout.write(`${file}\n`);
  } finally {
    await parts.disposeAsync();
  }
}

await makeFilm(process.argv[2]!);
process.exit(0);
