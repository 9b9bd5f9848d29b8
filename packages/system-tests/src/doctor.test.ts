import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PARTITIONED_TABLES, readPartitions } from '@flotilla/database/month-partitions.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { configKeys, replicaKeys, shardKeys, shardOf } from '@flotilla/redis/keys.ts';
import { ADMIN_KEY, FLEET_ENCRYPTION_KEY, type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { runMaintenance } from '@flotilla/testing/fleet/run-maintenance.ts';
import { administer, type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { removeDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const SAID = 'my diagnosis is a secret';

let fleet: Fleet;
let database: TestDatabase;
let redis: RedisHandles;
let folder: string;

beforeAll(async () => {
  [database, folder] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), 'flotilla-doctor-'))]);
  fleet = await startFleet({ apis: 1, workers: 1 }, { PUBLIC_URL: 'http://127.0.0.1:9' }, database);
  redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => undefined } });
}, 90_000);
afterAll(async () => {
  await redis?.close();
  await fleet?.stop();
  await database?.drop();
  await removeDir(folder);
});

const run = (...args: string[]) =>
  runMaintenance(args, {
    DATABASE_URL: fleet.database.url,
    REDIS_URL: fleet.redis.url,
    TELEGRAM_API_URL: fleet.simulator.url,
    PUBLIC_URL: 'http://127.0.0.1:9',
    ENCRYPTION_KEY: FLEET_ENCRYPTION_KEY,
    ADMIN_API_KEY: ADMIN_KEY,
  });

async function doctor(): Promise<{ exitCode: number | null; wrong: string[] }> {
  const { exitCode, output } = await run('doctor', '--json');
  const { findings } = JSON.parse(output) as { findings: { level: string; check: string; found: string }[] };
  const wrong = findings.filter(({ level }) => level !== 'ok');
  return { exitCode, wrong: wrong.map(({ level, check, found }) => `${level} ${check}: ${found}`) };
}

test('the doctor finds nothing at a fleet in order; of one with faults it names each with its bots', async () => {
  const [polled, hooked, disabled, moved] = [
    await fleet.addBot({ long_poll_enabled: true }),
    await fleet.addBot({ long_poll_enabled: true, webhook_mode: true }),
    await fleet.addBot({ long_poll_enabled: true, webhook_mode: true }),
    await fleet.addBot({ long_poll_enabled: true }),
  ];
  await waitFor(async () => (await doctor()).wrong.length === 0, { timeoutMs: 60_000, message: 'a fleet in order' });

  await fleet.rest('/api/bots/toggle-disabled', { id: disabled.id });
  await Promise.all(fleet.workers.map((worker) => worker.stop()));
  // The platform takes one setWebhook a second.
  const setWebhook = (bot: { token: string }, url: string) =>
    waitFor(async () => {
      const path = `bot${bot.token}/setWebhook?url=${encodeURIComponent(url)}`;
      return (await fetch(`${fleet.simulator.url}/${path}`)).ok;
    });
  await setWebhook(polled, 'http://127.0.0.1:9/of-another-service');
  await setWebhook(disabled, `http://127.0.0.1:9/telegram/${disabled.id}`);
  await setWebhook(moved, `http://127.0.0.1:9/telegram/${hooked.id}`);
  await setWebhook(hooked, '');
  await redis.commands.hdel(configKeys.bots, String(moved.id));
  await redis.commands.hset(configKeys.bots, '999999', '1 x');
  await redis.commands.hset('{s7}:bot:888887:state', 'revision', '1');
  await redis.commands.zadd(shardKeys(shardOf(polled.id)).pendingTurns, 1, `${polled.id}:push`);
  await redis.commands.zadd(shardKeys(5).pendingTurns, 1, '777776:push');
  const old = { id: 'old', kind: 'api', roles: [], version: '0.9.0', host: 'left-behind', startedAtMs: 1 };
  await redis.commands.sadd(replicaKeys.ids, old.id);
  await redis.commands.set(replicaKeys.one(old.id), JSON.stringify(old));
  const next = (await readPartitions(database.db, PARTITIONED_TABLES[0])).at(-2)!.name;
  await administer(database.url, `alter table messages detach partition ${next}`);

  const { exitCode, wrong } = await doctor();
  expect(exitCode).toBe(1);
  for (const expected of [
    /^fail processes: no worker has the roles polling, push, rules, outbox, history, upkeep/,
    /^warn releases: .*0\.9\.0 \(api left-behind\)/,
    new RegExp(`^fail turns: left behind for over a minute: ${polled.id}:push$`),
    /^warn turns: of bots that do not exist: 777776:push/,
    new RegExp(`^fail drift: bots in Postgres that Redis does not know: ${moved.id}$`),
    /^fail drift: bots in Redis that Postgres does not have: 999999/,
    /^warn drift: .*: 888887$/,
    /^fail partitions: messages has none for the next month/,
    new RegExp(`^fail webhooks: ours is set for bots that are disabled or polled: ${disabled.id}$`),
    new RegExp(`^fail webhooks: they lead to our address, but for another bot: ${moved.id}$`),
    new RegExp(`^fail webhooks: bots in webhook mode have none: ${hooked.id}$`),
    new RegExp(`^warn webhooks: another service has them: ${polled.id}$`),
  ]) {
    expect(wrong).toContainEqual(expect.stringMatching(expected));
  }
}, 180_000);

test('a support bundle has figures and findings, and no token, secret, name or text of a person', async () => {
  const bot = await fleet.addBot({ long_poll_enabled: true }, { name: 'Doctor Quimby' });
  const person = await fleet.control.createPerson({ firstName: 'Zephyrine', username: 'zephyrine_q' });
  await administer(
    database.url,
    `insert into events (kind, at, bot_id, text) values ('bot.added', now(), ${bot.id}, '${SAID} Zephyrine ${bot.token}');
     insert into audit_log (action, actor_kind, details, date, address) values ('sign_in', 'account', '${SAID}', 1790000000, '192.0.2.77')`,
  );
  const file = join(folder, 'bundle.json');
  expect(await run('support-bundle', file)).toMatchObject({ exitCode: 0, output: expect.stringContaining(file) });
  const text = await readFile(file, 'utf8');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const bundle = JSON.parse(text) as {
    findings: object[];
    events: object[];
    audit: object[];
    tables: object[];
    settings: object[];
  };
  expect(bundle.findings.length).toBeGreaterThan(8);
  expect(bundle.tables).toContainEqual(expect.objectContaining({ table: 'bots', rows: expect.any(Number) }));
  expect(bundle.events).toContainEqual(expect.objectContaining({ kind: 'bot.added', bot_id: bot.id }));
  expect(bundle.audit).toContainEqual(expect.objectContaining({ action: 'sign_in' }));
  expect(bundle.settings).toContain('DATABASE_URL is postgres://…');
  expect(bundle.settings).toContain('ENCRYPTION_KEY is set');
  const { username, password, pathname } = new URL(database.url);
  const secrets = [
    SAID,
    'Zephyrine',
    'zephyrine_q',
    'Quimby',
    bot.token,
    bot.username,
    FLEET_ENCRYPTION_KEY,
    ADMIN_KEY,
  ];
  for (const secret of [...secrets, '192.0.2.77', password, pathname.slice(1), String(person.id)]) {
    if (secret.length >= 6) expect(text).not.toContain(secret);
  }
  expect(username).toBeTruthy();
  expect(await run('support-bundle', file)).toMatchObject({ exitCode: 1 });
}, 120_000);
