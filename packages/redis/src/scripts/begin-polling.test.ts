import { DAY_MS, type LuaScene, luaScene, okOf, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const begin = (registration = REGISTRATION) =>
  scripts.beginPolling(scene.commands, scene.keys, { registrationId: registration });

test('the owner gets a higher token, where polling goes on, and what waits', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2]);
  const begun = { outcome: 'OK', pollOffset: 0, quickest: 2, slowest: 2 };
  expect(await begin()).toEqual({ ...begun, fencingToken: 1, polledAgoMs: null, refusedForMs: null });
  await scene.commands.hset(scene.keys.state, { pollOffset: 3, pollOkAt: Date.now(), refusedAt: Date.now() });
  await scene.passMs(60_000);
  const { fencingToken, pollOffset, polledAgoMs, refusedForMs } = okOf(await begin());
  expect([fencingToken, pollOffset]).toEqual([2, 3]);
  for (const ms of [polledAgoMs, refusedForMs]) expect(ms).toBeGreaterThanOrEqual(60_000);
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
  await scene.passMs(DAY_MS / 2);
  expect(await begin()).toMatchObject({ quickest: 2, slowest: 2 });
  await scene.passMs(DAY_MS / 2);
  expect(await begin()).toMatchObject({ quickest: 0, slowest: 0 });
});
