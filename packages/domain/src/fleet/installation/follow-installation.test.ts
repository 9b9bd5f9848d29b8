import { connectDatabase } from '@flotilla/database/connect.ts';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { installationKey } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { createMetrics } from '@flotilla/runtime/metrics.ts';
import { testDatabase } from '@flotilla/testing/postgres.ts';
import { startTestRedis } from '@flotilla/testing/redis.ts';
import { startTcpRelay } from '@flotilla/testing/tcp-relay.ts';
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
