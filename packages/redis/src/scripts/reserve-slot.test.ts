import { type LuaScene, luaScene, NOW_MS } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const KEYS = ['{pace}:chat', '{pace}:blocked'];
const reserve = (reserved: number | '' = '') => scene.run('reserve-slot', KEYS, [NOW_MS, 1, 1000, 2, 10_000, reserved]);

test('moments keep their distance, and no more than so many lie within the window', async () => {
  const moments = [await reserve(), await reserve(), await reserve()].map((at) => Number(at) - NOW_MS);
  expect(moments).toEqual([0, 1000, 10_000]);
});

test('a moment that was reserved is kept, unless nothing is wanted then', async () => {
  expect(await reserve(NOW_MS + 5)).toBe(NOW_MS + 5);
  await scene.commands.set('{pace}:blocked', NOW_MS + 7);
  expect(await reserve(NOW_MS + 5)).toBe(NOW_MS + 7);
});
