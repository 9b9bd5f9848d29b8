import { connectDatabase } from '@flotilla/database/connect.ts';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { installationKey } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { createMetrics } from '@flotilla/runtime/metrics.ts';
import { testDatabase } from '@flotilla/testing/postgres.ts';
import { startTestRedis } from '@flotilla/testing/redis.ts';
import { startTcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, expect, test } from '@jest/globals';
import { followInstallation } from './follow-installation.ts';
import { OF_A_COPY } from './quarantine.ts';

const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

test('a start without Postgres is in quarantine unless Redis has an id, and out of it when Postgres answers', async () => {
  const database = await testDatabase();
  ends.push(database.drop);
  const url = new URL(database.url);
  const postgres = await startTcpRelay(Number(url.port));
  ends.push(postgres.stop);
  url.port = String(postgres.port);
  const log = createLogger({ name: 'test', level: 'silent' });
  const db = connectDatabase({ url: url.href, maxConnections: 1 });
  ends.push(() => db.destroy());
  const server = await startTestRedis();
  ends.push(server.stop);
  const redis = await connectRedis({ url: server.url, log });
  ends.push(redis.close);
  await postgres.cut();

  const installation = await followInstallation({ db, redis, log, metrics: createMetrics() });
  ends.push(installation.close);
  expect(installation.quarantine()).toMatchObject({ reason: 'unknown' });
  expect(installation.requireActive).toThrow();
  const knownBy = async (held: string) => {
    await redis.commands.set(installationKey, held);
    await expect(installation.check()).rejects.toThrow();
    return installation.quarantine()?.reason ?? null;
  };
  expect(await knownBy(OF_A_COPY)).toBe('copied');
  expect(await knownBy('an-id')).toBe(null);
  await redis.commands.del(installationKey);
  await postgres.restore();
  await installation.check();
  expect(installation.quarantine()).toBe(null);
});

test('a Redis that fails at the start is asked again, and what it has told once counts while it is away', async () => {
  const server = await startTestRedis();
  ends.push(server.stop);
  const relay = await startTcpRelay(Number(new URL(server.url).port));
  ends.push(relay.stop);
  const log = createLogger({ name: 'test', level: 'silent' });
  const [redis, direct] = await Promise.all([
    connectRedis({ url: Object.assign(new URL(server.url), { port: String(relay.port) }).href, log }),
    connectRedis({ url: server.url, log }),
  ]);
  ends.push(redis.close, direct.close);
  const db = connectDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', maxConnections: 1 });
  ends.push(() => db.destroy());
  await direct.commands.set(installationKey, 'an-id');
  await relay.cut();

  const installation = await followInstallation({ db, redis, log, metrics: createMetrics() });
  ends.push(installation.close);
  let changes = 0;
  installation.onChange(() => {
    changes += 1;
  });
  expect(installation.quarantine()).toMatchObject({
    reason: 'unknown',
    text: 'the installation is not known yet: Postgres and Redis do not answer',
  });
  expect(installation.requireActive).toThrow('Try again later: the installation is not known yet');
  await relay.restore();
  await waitFor(() => installation.quarantine() === null);
  expect(changes).toBe(1);
  await relay.cut();
  await expect(installation.check()).rejects.toThrow();
  expect(installation.quarantine()).toBe(null);
  await relay.restore();
  await direct.commands.del(installationKey);
  await waitFor(async () => (await redis.commands.get(installationKey)) === null);
  await expect(installation.check()).rejects.toThrow();
  expect(installation.quarantine()).toBe(null);
}, 30_000);
