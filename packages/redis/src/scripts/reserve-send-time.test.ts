import { type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const KEYS = { times: '{pace}:chat' };
const MINUTE_MS = 60_000;
const reserve = ({ reserved = null as number | null, windowMs = 10 * MINUTE_MS, spacingMs = MINUTE_MS } = {}) =>
  scripts.reserveSendTime(scene.commands, KEYS, {
    count: 1,
    spacingMs,
    most: 2,
    windowMs,
    kept: 2,
    reservedMs: reserved,
  });

test('times keep their distance, and no more than so many lie within the window', async () => {
  const first = await reserve();
  const later = [await reserve(), await reserve()].map(({ atMs }) => atMs - first.atMs);
  expect([first.waitMs, ...later]).toEqual([0, MINUTE_MS, 10 * MINUTE_MS]);
});

test('they are of the clock of Redis, whatever the caller’s is', async () => {
  const [seconds] = await scene.commands.time();
  const { atMs } = await reserve();
  expect(Math.abs(atMs - Number(seconds) * 1000)).toBeLessThan(MINUTE_MS);
  const next = await reserve();
  expect(next.waitMs).toBeGreaterThan(0);
  expect(next.waitMs).toBeLessThanOrEqual(MINUTE_MS);
});

test('a time that was reserved is kept', async () => {
  const { atMs } = await reserve();
  expect((await reserve({ reserved: atMs + 5 })).atMs).toBe(atMs + 5);
  expect(await reserve({ reserved: atMs - 5 })).toMatchObject({ atMs: atMs - 5, waitMs: 0 });
});

test('the way is free again when the times have passed', async () => {
  const limits = { windowMs: 200, spacingMs: 10 };
  for (let at = 0; at < 4; at += 1) await reserve(limits);
  await waitFor(async () => (await scene.commands.exists('{pace}:chat')) === 0);
  expect((await reserve(limits)).waitMs).toBe(0);
});
