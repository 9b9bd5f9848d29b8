import { type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { botKeys, SHARDS } from '../keys.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('reads what is wanted of each bot, and 0 for what it has not', async () => {
  const another = botKeys(1 + SHARDS).state;
  const state = {
    n: 9,
    ackedN: 8,
    filedN: 7,
    pend: 6,
    parked: 5,
    pollOkAt: 4,
    hookOkAt: 3,
    failSince: 2,
    closedUntil: 1,
  };
  await scene.commands.hset(scene.keys.state, state);
  await scene.commands.hset(another, 'updateAt', 1_800_000_000_000);
  const read = (what: string) => scene.run('read-states', [scene.keys.state, another], [what]);
  expect(await read('state')).toEqual(['4 3 2 1', '0 0 0 0']);
  expect(await read('pending')).toEqual(['9 8 7 6 5', '0 0 0 0 0']);
  expect(await read('last_update')).toEqual(['0', '1800000000000']);
});
