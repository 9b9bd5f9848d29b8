import { type LuaScene, luaScene, NOW_MS } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const left = async () => (await scene.commands.xrange(scene.keys.log, '-', '+')).map(([id]) => Number.parseInt(id, 10));
const trim = (atMs = NOW_MS) =>
  scene.evaluate(
    'trim',
    'trimLog(KEYS[1], KEYS[2], KEYS[3], tonumber(ARGV[1]))',
    [...[scene.keys.state, scene.keys.log, scene.keys.consumers]],
    [atMs],
  );

test('keeps what push has not delivered', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1, 2, 3]);
  await scene.commands.hset(scene.keys.state, 'floor', 1);
  await trim();
  expect(await left()).toEqual([2, 3]);
});

test('keeps what a named consumer that polls has not acknowledged, and forgets it after a day', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2, 3]);
  await scene.commands.hset(scene.keys.state, { acked: 3, keptFrom: 3 });
  await scene.commands.hset(scene.keys.consumers, 'audit', `2 ${NOW_MS}`);
  await trim();
  expect(await left()).toEqual([3]);
  await trim(NOW_MS + 86_400_001);
  expect([await left(), await scene.commands.exists(scene.keys.consumers)]).toEqual([[], 0]);
});

test('keeps for a program what it has not acknowledged until it is parked, and never forgets its cursor', async () => {
  await scene.applyBot({ programs: [5] });
  await scene.accept([1, 2, 3]);
  await scene.commands.hset(scene.keys.consumers, 'program:5', `1 ${NOW_MS}`);
  await trim(NOW_MS + 7 * 86_400_000);
  expect(await left()).toEqual([2, 3]);
  await scene.commands.hset(scene.keys.consumers, 'program:5', '1 0');
  await trim(NOW_MS + 7 * 86_400_000);
  expect(await left()).toEqual([]);
  expect(await scene.commands.hget(scene.keys.consumers, 'program:5')).toBe('1 0');
});
