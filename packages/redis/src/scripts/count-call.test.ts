import { type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { rateKeys } from '../call-keys.ts';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const keys = rateKeys(5);
const call = (perSecond: number | null, perMinute: number | null) =>
  scripts.countCall(scene.commands, keys, { perSecond, perMinute });
/** How long the call has to wait. */
const count = async (...rate: Parameters<typeof call>) => {
  const reply = await call(...rate);
  return reply.outcome === 'OVER' ? reply.retryAfterS : 0;
};

test('calls over the rate are told how long to wait, and are not counted', async () => {
  // So that the second and the minute last as long as the test.
  await scene.commands.set(keys.ofSecond, 1, 'PX', 1_000_000);
  await scene.commands.set(keys.ofMinute, 1, 'PX', 10_000_000);
  expect([await count(3, 4), await count(3, 4)]).toEqual([0, 0]);
  const ofSecond = await count(3, 4);
  await scene.commands.del(keys.ofSecond);
  expect(await count(3, 4)).toBe(0);
  const ofMinute = await count(3, 4);
  expect([ofSecond > 60 && ofSecond <= 1000, ofMinute > 1000 && ofMinute <= 10_000]).toEqual([true, true]);
  expect(await scene.commands.mget(keys.ofSecond, keys.ofMinute)).toEqual(['1', '4']);
});

test('the second and the minute begin with the first call, and end by themselves', async () => {
  await count(9, 9);
  const [second, minute] = await Promise.all([scene.commands.pttl(keys.ofSecond), scene.commands.pttl(keys.ofMinute)]);
  expect(second).toBeLessThanOrEqual(1000);
  expect(minute).toBeLessThanOrEqual(60_000);
  expect(minute).toBeGreaterThan(0);
});

test('says how many calls there were, and when the minute ends', async () => {
  const first = await call(9, 2);
  expect(first).toMatchObject({ outcome: 'COUNTED', ofSecond: 1, ofMinute: 1 });
  expect(first.minuteLeftS).toBeGreaterThan(50);
  await call(9, 2);
  expect(await call(9, 2)).toMatchObject({ outcome: 'OVER', ofMinute: 2 });
});

test('without a limit nobody waits', async () => {
  await scene.commands.set(keys.ofMinute, 0, 'PX', 60_000);
  for (let at = 0; at < 5; at++) expect(await count(null, null)).toBe(0);
  expect(await count(null, 5)).toBeGreaterThan(0);
});
