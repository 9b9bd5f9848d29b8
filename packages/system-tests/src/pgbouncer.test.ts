import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { startPgbouncer } from '@flotilla/testing/pgbouncer.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/operations/postgres.md'), 'utf8');
/** The settings that the handbook prescribes. */
const SETTINGS = /`(ignore_startup_parameters = [^`]+)`/.exec(PAGE)![1]!;
/** Fewer than the processes open, so that each of their transactions may meet another connection. */
const CONNECTIONS = 3;
const COUNT = 200;
const CHATS = 20;

let database: TestDatabase;
let pgbouncer: Awaited<ReturnType<typeof startPgbouncer>>;
let backend: TestBackend;
let fleet: Fleet;

beforeAll(async () => {
  database = await testDatabase();
  pgbouncer = await startPgbouncer(database.url, { connections: CONNECTIONS, settings: SETTINGS });
  backend = await startBackend();
  fleet = await startFleet({ apis: 2, workers: 2 }, {}, { url: pgbouncer.url });
}, 90_000);
afterAll(async () => {
  await fleet?.stop();
  await backend?.stop();
  await pgbouncer?.stop();
  await database?.drop();
}, 60_000);

test('behind PgBouncer in transaction mode a fleet starts, stores its history and serves REST over a few connections', async () => {
  const bot = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url });
  let done = false;
  const asking = Array.from({ length: 10 }, async () => {
    while (!done) await fleet.rest(`/api/chats?bot_id=${bot.id}`);
  });
  await fleet.control.generate({ bots: [bot.platformId], chats: CHATS, count: COUNT });
  await backend.waitForRequests(COUNT, 60_000);
  const stored = () => database.db.selectFrom('messages').select('id').where('bot_id', '=', bot.id).execute();
  await waitFor(async () => (await stored()).length === COUNT, { timeoutMs: 60_000, message: 'the history' });
  expect(await fleet.rest<unknown[]>(`/api/chats?bot_id=${bot.id}&limit=100`)).toHaveLength(CHATS);
  done = true;
  await Promise.all(asking);
  await fleet.rest('/api/bots/delete', { id: bot.id });
  await waitFor(async () => (await stored()).length === 0, { timeoutMs: 60_000, message: 'the removal' });
  const logs = [...fleet.apis, ...fleet.workers].map((process) => process.output()).join('\n');
  expect(logs).not.toMatch(/"level":(50|60)\b/);
}, 240_000);
