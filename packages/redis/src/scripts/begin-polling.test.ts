import { type LuaScene, luaScene, NOW_MS, okOf, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const begin = (registration = REGISTRATION, atMs = NOW_MS) =>
  scripts.beginPolling(scene.commands, scene.keys, { registrationId: registration, nowMs: atMs });

test('the owner gets a higher token, where polling goes on, and what waits', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2]);
  await scene.commands.hset(scene.keys.state, { pollOffset: 3, pollOkAt: 4, refusedAt: 5 });
  const waiting = { quickest: 2, slowest: 2 };
  const begun = { outcome: 'OK', fencingToken: 1, pollOffset: 3, polledAtMs: 4, ...waiting, refusedAtMs: 5 };
  expect(await begin()).toEqual(begun);
  expect(okOf(await begin()).fencingToken).toBe(2);
});

test('nobody owns a bot that is gone or disabled', async () => {
  expect(await begin()).toEqual({ outcome: 'GONE' });
  await scene.applyBot({});
  expect(await begin('another')).toEqual({ outcome: 'GONE' });
  await scene.commands.hset(scene.keys.state, 'on', 0);
  expect(await begin()).toEqual({ outcome: 'OFF' });
});

test('what has expired waits no longer, though nothing is appended and nobody reads', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2]);
  const lateMs = NOW_MS + 86_400_000;
  expect(await begin(REGISTRATION, lateMs - 6000)).toMatchObject({ quickest: 2, slowest: 2 });
  expect(await begin(REGISTRATION, lateMs)).toMatchObject({ quickest: 0, slowest: 0 });
});
