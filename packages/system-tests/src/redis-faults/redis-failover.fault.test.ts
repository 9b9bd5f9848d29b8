import { shardOf } from '@flotilla/redis/keys.ts';
import { startTestRedisCluster } from '@flotilla/testing/redis-cluster.ts';
import { startTestRedisSentinel } from '@flotilla/testing/redis-sentinel.ts';
import type { RedisServer } from '@flotilla/testing/redis-server.ts';
import type { ReplicatedRedis } from '@flotilla/testing/replicated-redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, describe, expect, test } from '@jest/globals';
import { CHATS, type LoadedFleet, startLoadedFleet } from './loaded-fleet.ts';
import { startWriter, type Writer } from './writer.ts';

const PER_SECOND = 300;
const COUNT = PER_SECOND * 20;
/**
 * Replication is asynchronous: a failover loses what the killed server acknowledged but had not replicated. That is a
 * few milliseconds of traffic; the test allows one second.
 */
const LOST_AT_MOST = PER_SECOND;
const RESUMED_WITHIN_MS = 60_000;
/** A turn is renewed every 5 s for 10 s: if no primary takes writes for longer than that, it is rightly taken over. */
const TURNS_OUTLAST_MS = 5_000;

let redis: ReplicatedRedis;
let load: LoadedFleet;
let writer: Writer;

afterEach(async () => {
  await writer?.stop();
  await load?.stop();
  await redis?.stop();
}, 60_000);

describe.each([
  ['the primary of a Sentinel set', startTestRedisSentinel, async () => (await redis.masters())[0]!],
  [
    'the master of one bot and of its turns, in a cluster',
    () => startTestRedisCluster({ replicas: true }),
    masterOfABot,
  ],
] as const)('%s, killed under load', (_title, start, choose) => {
  test('is replaced, and everything goes on unaided: in order, with at most the last second unreplicated', async () => {
    redis = await start();
    await underLoad();
    const killed = await choose();
    killed.kill();
    await waitFor(async () => (await redis.masters()).length > 0 && writer.refused() > 0, { timeoutMs: 30_000 });
    await load.eachGoesOn(RESUMED_WITHIN_MS);
    await endsInOrder();
    await killed.restart();
    await waitFor(async () => (await killed.info('role')) === 'slave', { timeoutMs: 60_000 });
    const before = load.arrived();
    await load.generate(600, PER_SECOND);
    await load.allArrived(before + 600, 30_000);
  }, 300_000);
});

test('a primary that Sentinel replaces as planned is left at once, and no turn is left behind', async () => {
  const sentinels = await startTestRedisSentinel();
  redis = sentinels;
  await underLoad();
  const [left] = await redis.masters();
  const begunMs = performance.now();
  await sentinels.failover();
  await waitFor(async () => (await left!.info('role')) === 'slave', { timeoutMs: 60_000 });
  const tookMs = performance.now() - begunMs;
  await load.eachGoesOn(RESUMED_WITHIN_MS);
  await endsInOrder();
  if (tookMs > TURNS_OUTLAST_MS) return;
  expect(load.fleet.workers.flatMap((worker) => worker.output().match(/left behind/g) ?? [])).toEqual([]);
}, 300_000);

async function underLoad(): Promise<void> {
  load = await startLoadedFleet(redis);
  writer = await startWriter(load.fleet);
  await load.generate(COUNT, PER_SECOND);
  await waitFor(() => load.arrived() > 1000 && writer.acknowledged() > 20, { timeoutMs: 30_000 });
}

async function endsInOrder(): Promise<void> {
  await load.settled(90_000);
  await writer.pause();
  const perChat = COUNT / load.bots.length / CHATS;
  const missing = load.books.reduce((sum, book) => sum + book.missing(CHATS, perChat), 0);
  expect(missing).toBeLessThanOrEqual(LOST_AT_MOST);
  expect(load.books.flatMap((book) => book.disorder())).toEqual([]);
  await waitFor(() => writer.book.missing(1, writer.acknowledged()) <= LOST_AT_MOST, { timeoutMs: 30_000 });
  expect(writer.book.disorder()).toEqual([]);
  expect(load.errorLines()).toEqual([]);
}

async function masterOfABot(): Promise<RedisServer> {
  const key = `{s${shardOf(load.bots[0]!.id)}}:pending-turns`;
  const masters = await redis.masters();
  const slots = (await masters[0]!.connection.call('cluster', 'slots')) as [number, number, [string, number]][];
  const slot = (await masters[0]!.connection.call('cluster', 'keyslot', key)) as number;
  const port = slots.find(([from, to]) => from <= slot && slot <= to)![2][1];
  return masters.find((master) => master.port === port)!;
}
