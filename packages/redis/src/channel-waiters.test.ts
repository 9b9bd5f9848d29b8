import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ChannelWaiters, channelWaiters } from './channel-waiters.ts';
import { connectRedis, type RedisHandles } from './connect.ts';

const CHANNEL = 'news';
const THOUSANDS = 3_000;
const HOUR_MS = 3_600_000;

let server: TestRedis;
let redis: RedisHandles;
let waiters: ChannelWaiters;
let woken: string[] = [];

beforeAll(async () => {
  server = await startTestRedis();
  redis = await connectRedis({ url: server.url, log: { warn: () => {} } });
  waiters = channelWaiters(redis, CHANNEL);
  await wokenBy('0');
});
afterAll(async () => {
  waiters.close();
  await redis.close();
  await server.stop();
});

function listen(botId: number, turn?: string) {
  const waiter = waiters.listen(botId, turn);
  waiter.onWake(() => woken.push(`${botId} ${turn ?? ''}`.trim()));
  return waiter;
}

/** Publishes until it is heard, and returns who was woken by that. */
async function wokenBy(payload: string): Promise<string[]> {
  woken = [];
  const end = listen(999);
  await waitFor(async () => {
    await redis.commands.publish(CHANNEL, payload);
    await redis.commands.publish(CHANNEL, '999');
    return woken.includes('999');
  });
  end.stop();
  return [...new Set(woken)].filter((name) => name !== '999').sort();
}

test('the name of a turn wakes this turn only, and the id of a bot all its turns', async () => {
  const listening = [listen(5, 'push'), listen(5, 'program:7'), listen(6, 'push'), listen(6)];
  expect(await wokenBy('5:program:7')).toEqual(['5 program:7']);
  expect(await wokenBy('5:push 6:push')).toEqual(['5 push', '6', '6 push']);
  expect(await wokenBy('5')).toEqual(['5 program:7', '5 push']);
  for (const waiter of listening) waiter.stop();
  expect(await wokenBy('5 6')).toEqual([]);
});

test('a wake that came before a wait ends it at once, and the next wait begins anew', async () => {
  const waiter = waiters.listen(5);
  const never = new AbortController().signal;
  waiters.wakeSoon(5);
  await waiter.wait(HOUR_MS, never);
  let isOver = false;
  const second = waiter.wait(HOUR_MS, never).then(() => {
    isOver = true;
  });
  await wokenBy('0');
  expect(isOver).toBe(false);
  waiters.wakeSoon(5);
  await second;
  waiter.stop();
});

test('when the connection is back everyone is woken, of thousands only some at a time', async () => {
  const listening = Array.from({ length: THOUSANDS }, (_, at) => listen(at + 1, 'push'));
  woken = [];
  const atOnce: number[] = [];
  const count = setInterval(() => atOnce.push(woken.length), 1);
  await redis.runMany([['client', 'KILL', 'TYPE', 'pubsub']]);
  await waitFor(() => new Set(woken).size === THOUSANDS, { message: 'all of them' });
  clearInterval(count);
  expect(atOnce.filter((so) => so > 0 && so < THOUSANDS).length).toBeGreaterThan(5);
  for (const waiter of listening) waiter.stop();
});

test('a bot whose configuration changed wakes its turns in this process', () => {
  const waiter = listen(5, 'rules');
  woken = [];
  waiters.wakeSoon(5);
  waiters.wakeSoon(6);
  expect(woken).toEqual(['5 rules']);
  waiter.stop();
});

test('Redis tells nothing to a process in which nobody listens', async () => {
  const subscribers = async () => (await redis.commands.call('pubsub', 'NUMSUB', 'other news')) as [string, number];
  const others = channelWaiters(redis, 'other news');
  expect(await subscribers()).toEqual(['other news', 0]);
  const waiter = others.listen(5);
  await waitFor(async () => (await subscribers())[1] === 1);
  waiter.stop();
  others.close();
});
