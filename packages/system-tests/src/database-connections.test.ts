import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';

const PER_API = 3;
const PER_WORKER = 2;
const SIZE = { apis: 2, workers: 2 };
const CALLERS = 40;
const UPDATES = 600;

let fleet: Fleet;
let backend: TestBackend;
let db: Database;

beforeAll(async () => {
  fleet = await startFleet(SIZE, {
    API_DATABASE_CONNECTIONS: String(PER_API),
    WORKER_DATABASE_CONNECTIONS: String(PER_WORKER),
  });
  backend = await startBackend();
  db = connectDatabase({ url: fleet.database.url, role: 'watcher', maxConnections: 1 });
}, 60_000);
afterAll(async () => {
  await db.destroy();
  await backend.stop();
  await fleet.stop();
}, 60_000);

/** The connections of each role, as Postgres counts them. */
async function connections(): Promise<Record<string, number>> {
  const { rows } = await sql<{ role: string; count: number }>`
    select application_name as role, count(*) as count from pg_stat_activity
    where datname = current_database() and application_name like 'flotilla-%' and pid <> pg_backend_pid()
    group by 1`.execute(db);
  return Object.fromEntries(rows.map(({ role, count }) => [role, count]));
}

test('under load a fleet opens as many connections to Postgres as it was told, and no more', async () => {
  const bot = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url });
  const most: Record<string, number> = {};
  let done = false;
  const watching = (async () => {
    while (!done) {
      for (const [role, count] of Object.entries(await connections())) most[role] = Math.max(most[role] ?? 0, count);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  const calling = Array.from({ length: CALLERS }, async () => {
    while (!done) await fleet.rest(`/api/chats?bot_id=${bot.id}`);
  });
  await fleet.control.generate({ bots: [bot.platformId], chats: 60, count: UPDATES });
  await backend.waitForRequests(UPDATES, 60_000);
  await waitFor(async () => (await fleet.rest<unknown[]>(`/api/chats?bot_id=${bot.id}&limit=100`)).length === 60, {
    timeoutMs: 30_000,
  });
  done = true;
  await Promise.all([watching, ...calling]);
  expect(Object.keys(most).sort()).toEqual(['flotilla-api', 'flotilla-worker']);
  // The api uses its whole pool: only the setting limits how many queries run at once.
  expect(most['flotilla-api']).toBe(SIZE.apis * PER_API);
  expect(most['flotilla-worker']).toBeLessThanOrEqual(SIZE.workers * PER_WORKER);
}, 120_000);

test('Postgres is told to end a transaction that nothing comes from for 30 s, which frees what it locked', async () => {
  const { rows } = await sql<{ limit: string }>`show idle_in_transaction_session_timeout`.execute(db);
  expect(Object.values(rows[0] ?? {})).toEqual(['30s']);
});
