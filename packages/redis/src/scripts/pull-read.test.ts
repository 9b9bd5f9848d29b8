import { type LuaScene, luaScene, NOW_MS, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const read = (offset: number, { consumer = '', first = 1, limit = 100 } = {}) =>
  scene.run(
    'pull-read',
    [scene.keys.state, scene.keys.log, scene.keys.consumers, scene.keys.deliveredByPush, ...scene.activity],
    [REGISTRATION, NOW_MS, consumer, offset, limit, 0, first, 0, '', 0, '+', ''],
  );
const raws = async (...args: Parameters<typeof read>) => (await read(...args))[4];

test('an offset acknowledges what is below it, and reading goes on above it', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2, 3]);
  expect(await raws(0, { limit: 2 })).toEqual(['{"update_id":1}', '{"update_id":2}']);
  expect(await raws(3)).toEqual(['{"update_id":3}']);
  expect(await scene.commands.hmget(scene.keys.state, 'acked', 'ackedN')).toEqual(['2', '2']);
});

test('a negative offset forgets all but the newest', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2, 3]);
  expect(await raws(-1)).toEqual(['{"update_id":3}']);
  expect(await scene.commands.hget(scene.keys.state, 'acked')).toBe('2');
});

test('what push has delivered is left out for the default consumer alone', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2]);
  await scene.commands.sadd(scene.keys.deliveredByPush, '1');
  expect(await raws(0)).toEqual(['{"update_id":2}']);
  expect(await raws(0, { consumer: 'audit' })).toEqual(['{"update_id":1}', '{"update_id":2}']);
});

test('what the default consumer acknowledges counts as delivered, once', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2, 3, 4]);
  await read(0);
  await read(3, { consumer: 'audit' });
  expect(await scene.counted()).toEqual(['4 0 0 0 0', '4 0 0 0 0']);
  for (const offset of [3, 3, 2, 4]) await read(offset);
  expect(await scene.counted()).toEqual(['4 3 0 0 0', '4 3 0 0 0']);
});

test('updates that a negative offset forgets do not count as delivered', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2, 3]);
  await read(-1);
  expect(await scene.counted()).toEqual(['3 0 0 0 0', '3 0 0 0 0']);
  await read(4);
  expect(await scene.counted()).toEqual(['3 1 0 0 0', '3 1 0 0 0']);
});

test('nobody reads a bot that is gone or not pulled', async () => {
  expect(await read(0)).toEqual(['GONE']);
  await scene.applyBot({ push: true });
  expect(await read(0)).toEqual(['OFF']);
});
