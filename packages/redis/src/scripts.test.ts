import { startTestRedis } from '@flotilla/testing/redis.ts';
import { startTestRedisCluster } from '@flotilla/testing/redis-cluster.ts';
import { afterEach, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { connectRedis, type RedisHandles } from './connect.ts';
import { isRedisUnavailable } from './is-redis-unavailable.ts';
import { botKeys, configKeys } from './keys.ts';
import { scripts } from './script-calls.ts';
import { functionNameOf, runScriptRaw } from './scripts.ts';

const log = { warn: () => {} };
const BOTS = Array.from({ length: 50 }, (_, at) => at + 1);

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
}, 30_000);

async function startWith(start: () => Promise<{ url: string; stop(): Promise<unknown> }>): Promise<RedisHandles> {
  const server = await start();
  undo.push(() => server.stop());
  return connectTo(server.url);
}

async function connectTo(url: string): Promise<RedisHandles> {
  const redis = await connectRedis({ url, log });
  undo.push(() => redis.close());
  return redis;
}

const call = (redis: RedisHandles, bot: number) =>
  scripts.noteReserved(redis.commands, botKeys(bot), { registrationId: '', reservedId: bot });

const setEverywhere = (redis: RedisHandles, setting: string, value: number) =>
  Promise.all(redis.servers().map((server) => server.config('SET', setting, value)));

function admin(url: string): Redis {
  const client = new Redis(url);
  undo.push(async () => client.disconnect());
  return client;
}

const libraries = async (server: Redis): Promise<string[]> =>
  ((await server.function('LIST')) as string[][]).map(([, name]) => name!).sort();

const libraryNamed = (name: string) =>
  `#!lua name=${name}\nredis.register_function('run_${name}', function() return 1 end)`;

test.each([
  ['one server', startTestRedis],
  ['a cluster', () => startTestRedisCluster()],
])(
  'scripts that were lost are loaded again, and all calls that missed them are answered: %s',
  async (_title, start) => {
    const redis = await startWith(start);
    const known = await Promise.all(BOTS.map((bot) => call(redis, bot)));
    await Promise.all(redis.servers().map((server) => (server as Redis).function('FLUSH')));
    expect(await Promise.all(BOTS.map((bot) => call(redis, bot)))).toEqual(known);
    await Promise.all(redis.servers().map((server) => (server as Redis).function('FLUSH')));
    const raw = await runScriptRaw(redis.commands, 'read-states', 1, [botKeys(1).state, 'registrationId', 1]);
    expect(raw).toEqual(Buffer.from('0'));
  },
  60_000,
);

test('the first process of a release removes the scripts of others, and later ones leave what came meanwhile', async () => {
  const server = await startTestRedis();
  undo.push(() => server.stop());
  const client = admin(server.url);
  await client.function('LOAD', libraryNamed('flotilla_earlier'));
  await client.function('LOAD', libraryNamed('of_somebody_else'));
  await connectTo(server.url);
  const [ours, ...others] = await libraries(client);
  expect(ours).toMatch(/^flotilla_[\da-f]{12}$/);
  expect(others).toEqual(['of_somebody_else']);
  expect(functionNameOf('read-page')).toBe(`read_page_${ours!.slice('flotilla_'.length)}`);
  // A process of the earlier release missed its scripts and loaded them again.
  await client.function('LOAD', libraryNamed('flotilla_earlier'));
  await connectTo(server.url);
  expect(await libraries(client)).toEqual([ours, 'flotilla_earlier', 'of_somebody_else'].sort());
});

test('a full Redis still runs scripts that hand out or remove, and none that takes in', async () => {
  const redis = await startWith(startTestRedis);
  const keys = botKeys(1);
  await redis.commands.hset(keys.state, 'registrationId', 'a');
  await setEverywhere(redis, 'maxmemory', 1);
  expect(await scripts.writeConfig(redis.commands, configKeys, { botId: 1, revision: 1, sealed: 'sealed' })).toBe(true);
  expect(await scripts.closeBreaker(redis.commands, keys, { registrationId: 'a', botId: 1 })).toBe(false);
  await expect(call(redis, 1)).rejects.toThrow('OOM');
});

test('a Redis that takes no writes, because its replicas are away, still runs scripts that only read', async () => {
  const redis = await startWith(startTestRedis);
  await setEverywhere(redis, 'min-replicas-to-write', 1);
  expect(await scripts.readStates(redis.commands, botKeys(1), { fields: 'registrationId', bots: '1' })).toBe('0');
  await expect(call(redis, 1)).rejects.toThrow('NOREPLICAS');
});

test('a full Redis that has lost them says so, and gets them when it has room', async () => {
  const redis = await startWith(startTestRedis);
  await Promise.all(redis.servers().map((server) => (server as Redis).function('FLUSH')));
  await setEverywhere(redis, 'maxmemory', 1);
  const refusal = await call(redis, 1).then(null, (error: Error) => error);
  expect(refusal).toMatchObject({ message: expect.stringMatching(/^OOM/) });
  expect(isRedisUnavailable(refusal)).toBe(true);
  await setEverywhere(redis, 'maxmemory', 0);
  expect(await call(redis, 1)).toBe(false);
});

test('a user who may not load them is refused at the start', async () => {
  const server = await startTestRedis();
  undo.push(() => server.stop());
  await admin(server.url).call('ACL', 'SETUSER', 'reader', 'on', '>secret', '~*', '&*', '+@all', '-function');
  const url = server.url.replace('redis://', 'redis://reader:secret@');
  await expect(connectRedis({ url, log })).rejects.toThrow("no permissions to run the 'function|load' command");
});
