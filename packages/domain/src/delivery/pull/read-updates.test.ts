import { type LogScene, logScene } from '@flotilla/testing/log-scene.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { readUpdates } from './read-updates.ts';

/** Longer than any test. */
const TIMEOUT_MS = 600_000;
let scene: LogScene;

beforeAll(async () => {
  scene = logScene();
  await scene.open();
});
beforeEach(() => scene.clear());
afterAll(() => scene.close());

test('an append wakes all polls that wait for its bot, and no others', async () => {
  const [bot, other] = [await scene.registered({}), await scene.registered({})];
  const client = new AbortController();
  const polls = [1, 2].map(() => scene.idsOf(bot, { timeoutMs: TIMEOUT_MS }));
  const ofOther = scene.idsOf(other, { timeoutMs: TIMEOUT_MS, signal: client.signal });
  await waitFor(() => scene.deps().waiters.count() === 3);
  await scene.accept(bot, scene.update(7));
  expect(await Promise.all(polls)).toEqual([[7], [7]]);
  expect(scene.deps().waiters.count()).toBe(1);
  client.abort();
  expect(await ofOther).toEqual([]);
  expect(scene.deps().waiters.count()).toBe(0);
});

test('an append between the read of a poll and its wait is not missed', async () => {
  const bot = await scene.registered({});
  const { redis, waiters, ...deps } = scene.deps();
  let reads = 0;
  const callBuffer = async (...args: Parameters<typeof redis.commands.callBuffer>) => {
    const reply = await redis.commands.callBuffer(...args);
    reads += 1;
    if (reads === 1) {
      const heard = waiters.listen(bot.id);
      await scene.accept(bot, scene.update(7));
      await heard.wait(TIMEOUT_MS, new AbortController().signal);
      heard.stop();
    }
    return reply;
  };
  const appending = { ...redis, commands: Object.create(redis.commands, { callBuffer: { value: callBuffer } }) };
  const request = { consumer: null, offset: 0, limit: 100, kinds: null, throttle: false, timeoutMs: TIMEOUT_MS };
  const signal = new AbortController().signal;
  const updates = await readUpdates({ ...deps, redis: appending, waiters }, bot, { ...request, signal });
  expect([updates.count, reads]).toEqual([1, 2]);
});
