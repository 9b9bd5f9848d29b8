import { type LuaScene, luaScene, NOW_MS, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const begin = (registration = REGISTRATION, atMs = NOW_MS) =>
  scene.run('begin-polling', [scene.keys.state, scene.keys.log, scene.keys.consumers], [registration, atMs]);

test('the owner gets a higher token, where polling goes on, and what waits', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2]);
  await scene.commands.hset(scene.keys.state, { pollOffset: 3, pollOkAt: 4, refusedAt: 5 });
  expect(await begin()).toEqual(['OK', 1, 3, 4, 2, 2, 5]);
  expect((await begin())[1]).toBe(2);
});

test('nobody owns a bot that is gone or disabled', async () => {
  expect(await begin()).toEqual(['GONE']);
  await scene.applyBot({});
  expect(await begin('another')).toEqual(['GONE']);
  await scene.commands.hset(scene.keys.state, 'on', 0);
  expect(await begin()).toEqual(['OFF']);
});

test('what has expired waits no longer, though nothing is appended and nobody reads', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2]);
  const lateMs = NOW_MS + 86_400_000;
  expect((await begin(REGISTRATION, lateMs - 6000)).slice(4, 6)).toEqual([2, 2]);
  expect((await begin(REGISTRATION, lateMs)).slice(4, 6)).toEqual([0, 0]);
});
