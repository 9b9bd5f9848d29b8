import { type LuaScene, luaScene, NOW_MS, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('closes an open breaker and makes what waits due, and leaves a closed one alone', async () => {
  const { state, lanes } = scene.keys;
  const resume = (registration = REGISTRATION) => scene.run('resume-backend', [state, lanes], [registration, NOW_MS]);
  await scene.applyBot({ push: true });
  expect(await resume()).toBe(0);
  await scene.commands.hset(state, { failSince: 1, probeMs: 2000, closedUntil: NOW_MS + 5 });
  await scene.commands.zadd(lanes, NOW_MS + 60_000, 'c:5');
  expect([await resume('another'), await resume(), await resume()]).toEqual([0, 1, 0]);
  expect(await scene.commands.zscore(lanes, 'c:5')).toBe(String(NOW_MS));
  expect(await scene.commands.hmget(state, 'failSince', 'probeMs', 'closedUntil')).toEqual([null, null, null]);
});
