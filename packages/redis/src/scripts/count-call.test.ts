import { type LuaScene, luaScene, NOW_MS } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { rateKeys } from '../keys.ts';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const count = (perSecond: number | null, perMinute: number | null, atMs = NOW_MS) =>
  scripts.countCall(scene.commands, rateKeys(5, atMs), { perSecond, perMinute, nowMs: atMs });

test('calls over the rate are told how long to wait, and are not counted', async () => {
  expect([await count(2, 3), await count(2, 3), await count(2, 3)]).toEqual([0, 0, 1]);
  expect([await count(2, 3, NOW_MS + 1000), await count(2, 3, NOW_MS + 1500)]).toEqual([0, 59]);
  expect(await count(2, 3, NOW_MS + 60_000)).toBe(0);
});

test('without a limit nobody waits', async () => {
  for (let at = 0; at < 5; at++) expect(await count(null, null)).toBe(0);
  expect(await count(null, 5)).toBe(60);
});
