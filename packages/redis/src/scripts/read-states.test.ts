import { BOT, type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { botKeys, SHARDS } from '../keys.ts';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('reads these fields of each bot, and 0 for what it has not', async () => {
  await scene.commands.hset(scene.keys.state, {
    allowedCount: 9,
    pushCursorCount: 8,
    pushPending: 7,
    updateAt: 1_800_000_000_000,
  });
  await scene.commands.hset(botKeys(BOT + SHARDS).state, { allowedCount: 5, pushPending: 0 });
  const read = (fields: string) =>
    scripts.readStates(scene.commands, scene.keys, { fields, bots: `${BOT} ${BOT + SHARDS}` });
  expect(await read('allowedCount pushCursorCount pushPending')).toBe('9 8 7 5 0 0');
  expect(await read('updateAt')).toBe('1800000000000 0');
});
