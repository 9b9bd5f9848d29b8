import { sealColumns } from '@flotilla/domain/bots/sealed-bot.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { configKeys } from '@flotilla/redis/keys.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { FLEET_ENCRYPTION_KEY, type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { runMaintenance } from '@flotilla/testing/fleet/run-maintenance.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';

const UNBOUND = /^v1\./;
const BOUND = /^v2\./;

let database: TestDatabase;
let fleet: Fleet;
let redis: RedisHandles;
let backend: TestBackend;

beforeAll(async () => {
  database = await testDatabase();
  fleet = await startFleet({ apis: 0, workers: 0 }, {}, database);
  redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
  backend = await startBackend();
}, 60_000);
afterAll(async () => {
  await backend.stop();
  await redis.close();
  await fleet.stop();
  await database.drop();
}, 60_000);

type Known = { id: number; token: string; platformId: number };

/** A bot as the previous release stored it: sealed without a binding to its row, its backend URL in plain text. */
async function botOfBefore(path: string): Promise<Known> {
  const { id: platformId, token } = await fleet.control.createBot({});
  const id = await storedBot(database.db);
  const plain = { token, secretToken: 'a-secret', backendUrl: `${backend.url}${path}` };
  const columns = sealColumns(secretBox(FLEET_ENCRYPTION_KEY), { botId: id, form: 'legacy' }, plain);
  const revision = sql<number>`nextval('bot_revisions')`;
  await database.db
    .updateTable('bots')
    .set({ ...columns, token_hash: sha256Hex(token), telegram_id: platformId, proxy_enabled: true, revision })
    .where('id', '=', id)
    .execute();
  return { id, token, platformId };
}

const rowOf = ({ id }: { id: number }) =>
  database.db.selectFrom('bots').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const mirrored = async ({ id }: { id: number }) =>
  ((await redis.commands.hget(configKeys.bots, String(id))) ?? '').split(' ')[1];
const rotate = (...args: string[]) =>
  runMaintenance(['rotate-keys', ...args], {
    DATABASE_URL: database.url,
    REDIS_URL: fleet.redis.url,
    ENCRYPTION_KEY: FLEET_ENCRYPTION_KEY,
  });
const say = (bot: Known, text: string) =>
  fleet.control.injectUpdate({
    bot: bot.platformId,
    kind: 'message',
    raw: `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":5,"type":"private"},"text":"${text}"}`,
  });
const arrived = (path: string, text: string) =>
  waitFor(() => backend.requests.some((request) => request.url === path && request.text.includes(`"${text}"`)), {
    timeoutMs: 30_000,
    message: `${text} at ${path}`,
  });

test('the previous release can read all there is until rotate-keys binds it, while the fleet runs, without a pause', async () => {
  const old = await botOfBefore('/old');
  await fleet.start('api');
  const worker = await fleet.start('worker');
  await say(old, 'before');
  await arrived('/old', 'before');
  expect(worker.output()).toContain('run rotate-keys once no process of that release runs');

  // The previous release may be the next to change these values, so they keep its form.
  const fresh = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/fresh` });
  await fleet.rest('/api/bots/update', { id: old.id, backend_url: `${backend.url}/moved`, secret_token: 'another' });
  for (const [bot, path] of [
    [old, '/moved'],
    [fresh, '/fresh'],
  ] as const) {
    expect(await rowOf(bot)).toMatchObject({
      token_sealed: expect.stringMatching(UNBOUND),
      backend_url: `${backend.url}${path}`,
      backend_url_sealed: '',
    });
    expect(await mirrored(bot)).toMatch(UNBOUND);
  }
  expect(await rotate('--check')).toMatchObject({ exitCode: 1, output: expect.stringContaining('(legacy)') });

  expect(await rotate()).toMatchObject({ exitCode: 0, output: expect.stringContaining('Done:') });
  for (const bot of [old, fresh]) {
    expect(await rowOf(bot)).toMatchObject({
      token_sealed: expect.stringMatching(BOUND),
      backend_url: '',
      backend_url_sealed: expect.stringMatching(BOUND),
    });
    expect(await mirrored(bot)).toMatch(BOUND);
  }
  await say(old, 'after');
  await arrived('/moved', 'after');
  expect(backend.requests.at(-1)?.headers).toMatchObject({ 'x-telegram-bot-api-secret-token': 'another' });
  await fleet.rest('/api/bots/update', { id: old.id, backend_url: `${backend.url}/bound` });
  expect(await rowOf(old)).toMatchObject({ backend_url: '', backend_url_sealed: expect.stringMatching(BOUND) });
  const later = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/later` });
  expect(await rowOf(later)).toMatchObject({ token_sealed: expect.stringMatching(BOUND), backend_url: '' });
  expect(await rotate('--check')).toMatchObject({ exitCode: 0 });
  const restarted = await fleet.start('worker');
  await say(old, 'read anew');
  await arrived('/bound', 'read anew');
  expect(restarted.output()).not.toContain('rotate-keys');
}, 120_000);

test('a sealed token that was moved to another row is never opened, and nobody is shown it', async () => {
  const api = fleet.apis[0] ?? (await fleet.start('api'));
  const [mine, other] = [await fleet.addBot(), await fleet.addBot()];
  const [before, foreign] = [await rowOf(mine), await rowOf(other)];
  const put = (token_sealed: string) =>
    database.db.updateTable('bots').set({ token_sealed }).where('id', '=', mine.id).execute();
  await put(foreign.token_sealed);
  try {
    const refused = fleet.rest('/api/bots/update', { id: mine.id, name: 'Mine' });
    await expect(refused).rejects.toThrow(/answered 500: (?!.*:AA)/);
    expect(api.output()).toContain('altered or moved');
    expect(JSON.stringify(await fleet.rest('/api/bots'))).toContain(mine.token);
  } finally {
    await put(before.token_sealed);
  }
  expect(await fleet.rest('/api/bots/update', { id: mine.id, name: 'Mine' })).toMatchObject({ token: mine.token });
}, 60_000);
