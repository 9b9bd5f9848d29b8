import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectRedis, type RedisHandles } from './connect.ts';

const NOTICED_WITHIN_MS = 30_000;

let server: TestRedis;
let relay: TcpRelay;
let redis: RedisHandles;

beforeAll(async () => {
  server = await startTestRedis();
  relay = await startTcpRelay(server.port);
  redis = await connectRedis({ url: `redis://127.0.0.1:${relay.port}`, log: { warn: () => {} } });
});
afterAll(async () => {
  await redis.close();
  await relay.stop();
  await server.stop();
});

test.each([
  ['is cut', async () => relay.cut()],
  ['goes silent', async () => relay.hang()],
])(
  'a connection that %s is made anew, and its subscriber told that it may have missed something',
  async (_title, lose) => {
    const heard: string[] = [];
    let listening = 0;
    const subscription = redis.subscribe('news', {
      message: (payload) => heard.push(String(payload)),
      listening: () => {
        listening += 1;
      },
    });
    await waitFor(() => listening === 1);
    await lose();
    await waitFor(
      () =>
        redis.commands.get('anything').then(
          () => false,
          () => true,
        ),
      { message: 'a call that fails' },
    );
    // A silent connection stays open, so only the client's own unanswered PING can show the loss.
    const noticed = waitFor(() => listening === 2, { timeoutMs: NOTICED_WITHIN_MS });
    setTimeout(() => void relay.restore(), 8_000).unref();
    await noticed;
    await waitFor(async () => {
      await redis.commands.publish('news', 'back').catch(() => {});
      return heard.includes('back');
    });
    subscription.close();
    expect(listening).toBe(2);
  },
  60_000,
);

test('what is closed again after its connection has ended keeps the process waiting for nothing', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const own = await connectRedis({ url: `redis://127.0.0.1:${server.port}`, log: { warn: () => {} } });
  let listening = false;
  const subscription = own.subscribe('news', { message: () => {}, listening: () => (listening = true) });
  await waitFor(() => listening);
  const idle = timers();
  subscription.close();
  await own.close();
  await waitFor(() => timers() <= idle);
  subscription.close();
  await own.close();
  expect(timers()).toBeLessThanOrEqual(idle);
});
