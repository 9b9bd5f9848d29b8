import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { runMaintenance } from '@flotilla/testing/fleet/run-maintenance.ts';
import { administer, databaseUrl } from '@flotilla/testing/postgres.ts';
import { type RedisOfForm, startRedisOfForm } from '@flotilla/testing/redis-of-form.ts';
import { removeDir, throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { type Ledger, ledger } from './ledger.ts';

const CHATS = 10;
const PER_CHAT = 200;
const COUNT = CHATS * PER_CHAT;
const AFTERWARDS_PER_CHAT = 20;
const PASSWORD = 'a password of hers';

type Manifest = { tables: { name: string; files: { rows: number }[] }[]; keyIds: string[] };
type Message = { id: number; text: string };

let fleet: Fleet;
let book: Ledger;
let backend: TestBackend;
let emptyRedis: RedisOfForm;
let folder: string;
let restoredUrl: string;

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 });
  book = ledger();
  backend = await startBackend((request, response) => {
    book.record(request.text);
    response.end();
  });
  emptyRedis = await startRedisOfForm();
  folder = await throwAwayDir();
  restoredUrl = databaseUrl(fleet.database.url, `restored_${process.pid}`);
}, 60_000);
afterAll(async () => {
  await backend.stop();
  // The processes run on the restored database, so dropping it ends them.
  await administer(fleet.database.url, `drop database if exists restored_${process.pid} with (force)`);
  await fleet.stop();
  await emptyRedis.stop();
  await removeDir(folder);
}, 60_000);

const generate = (bot: FleetBot, count: number) =>
  fleet.control.generate({ bots: [bot.platformId], chats: CHATS, count, perSecond: 100 });
const allArrived = (count: number) =>
  waitFor(() => book.count() === count, { timeoutMs: 60_000, message: 'every update to arrive' });

/** Starts new processes on another database and an empty Redis. */
async function startOver(settings: { DATABASE_URL: string; REDIS_URL: string }): Promise<void> {
  for (const running of [fleet.apis, fleet.workers]) {
    await Promise.all(running.splice(0).map((process) => process.stop()));
  }
  await fleet.start('api', settings);
  await fleet.start('worker', settings);
}

async function countRows(url: string, tables: string[]): Promise<Record<string, number>> {
  const db = connectDatabase({ url, maxConnections: 1 });
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db);
    counts[table] = rows[0]?.count ?? -1;
  }
  await db.destroy();
  return counts;
}

test('a backup made under traffic becomes a fleet again: bots, history, accounts, rules, and new updates', async () => {
  const pushed = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url, secret_token: 'a-secret' });
  const polled = await fleet.addBot({ long_poll_enabled: true });
  await fleet.rest('/api/auth/users/add', { username: 'ada', password: PASSWORD, bot_ids: [polled.id] });
  const rule = { source_bot_id: pushed.id, condition_type: 'keyword', condition_value: 'spam', action: 'drop' };
  await fleet.rest('/api/routes/add', rule);
  const spammer = await fleet.control.createPerson({});
  await fleet.control.sendMessage({ person: spammer.id, bot: pushed.platformId, text: 'spam' });
  const routes = () => fleet.rest<{ hits: number }[]>(`/api/routes?bot_id=${pushed.id}`);
  await waitFor(async () => (await routes())[0]?.hits === 1, { timeoutMs: 30_000 });
  await generate(pushed, COUNT);

  // Back up in the middle of the traffic.
  await waitFor(() => book.count() > COUNT / 10, { timeoutMs: 30_000 });
  const target = join(folder, 'backup');
  const made = await runMaintenance(['backup', target], { DATABASE_URL: fleet.database.url });
  expect(made).toMatchObject({ exitCode: 0, output: expect.stringContaining('holds the database as it was') });
  expect(await countRows(fleet.database.url, ['backups'])).toEqual({ backups: 1 });
  expect(book.count()).toBeLessThan(COUNT);
  await allArrived(COUNT);

  const manifest = JSON.parse(await readFile(join(target, 'manifest.json'), 'utf8')) as Manifest;
  const counts = Object.fromEntries(
    manifest.tables.map(({ name, files }) => [name, files.reduce((sum, { rows }) => sum + rows, 0)]),
  );
  expect(counts).toMatchObject({ bots: 2, accounts: 2, routes: 1, messages: expect.any(Number) });
  expect(counts.messages).toBeGreaterThan(0);
  expect(manifest.keyIds).toHaveLength(1);

  await administer(fleet.database.url, `create database restored_${process.pid}`);
  expect(await runMaintenance(['restore', target], { DATABASE_URL: restoredUrl })).toMatchObject({ exitCode: 0 });
  // The restore itself adds one entry.
  const restored = { ...counts, audit_log: counts.audit_log! + 1 };
  expect(await countRows(restoredUrl, Object.keys(counts))).toEqual(restored);
  expect(await countRows(restoredUrl, ['backups'])).toEqual({ backups: 0 });
  const again = await runMaintenance(['restore', target], { DATABASE_URL: restoredUrl });
  expect(again).toMatchObject({
    exitCode: 1,
    output: expect.stringMatching(/^Checking .*\nThe database is in use \(\w+ has rows\)/),
  });

  expect(await runMaintenance(['adopt'], { DATABASE_URL: restoredUrl })).toMatchObject({ exitCode: 0 });
  await startOver({ DATABASE_URL: restoredUrl, REDIS_URL: emptyRedis.url });
  const bots = await fleet.rest<{ id: number }[]>('/api/bots');
  const [entry] = await fleet.rest<object[]>('/api/adminlog?action=restore');
  expect(entry).toMatchObject({ details: expect.stringMatching(/^the backup of \d{4}-/) });
  expect(entry).not.toHaveProperty('actor_id');
  expect(bots.map(({ id }) => id)).toEqual([pushed.id, polled.id]);
  const [chat] = await fleet.rest<{ id: number }[]>(`/api/chats?bot_id=${pushed.id}`);
  const history = await fleet.rest<Message[]>(`/api/messages?bot_id=${pushed.id}&chat_id=${chat?.id}&limit=100`);
  expect(history.length).toBeGreaterThan(0);
  expect(await routes()).toMatchObject([{ condition_value: 'spam', hits: 1 }]);
  const signedIn = await fetch(`${fleet.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'ada', password: PASSWORD }),
  });
  expect(signedIn.status).toBe(200);

  book = ledger();
  await generate(pushed, CHATS * AFTERWARDS_PER_CHAT);
  await allArrived(CHATS * AFTERWARDS_PER_CHAT);
  expect(book.faults(AFTERWARDS_PER_CHAT)).toEqual([]);
  expect(backend.requests.at(-1)?.headers['x-telegram-bot-api-secret-token']).toBe('a-secret');
  await fleet.control.generate({ bots: [polled.platformId], chats: 1, count: 1 });
  const updates = await fetch(`${fleet.url}/tgapi/bot${polled.token}/getUpdates?timeout=10`);
  expect(await updates.json()).toMatchObject({ ok: true, result: [expect.anything()] });
  expect((await fleet.addBot()).id).toBeGreaterThan(polled.id);
}, 400_000);
