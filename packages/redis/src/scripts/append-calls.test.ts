import { BOT, type LuaScene, luaScene, NOW_MS, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const append = (batch: number, registration = REGISTRATION) => {
  const { state, history, pendingTurns } = scene.keys;
  const call = [4, 't', 'call', 'm', 'sendmessage'];
  return scene.run(
    'append-calls',
    [state, history, pendingTurns, '{s1}:calls:p', ...scene.activity, scene.keys.live],
    [registration, NOW_MS, BOT, batch, ...call],
  );
};

test('a batch is appended and counted once, however often it is tried', async () => {
  await scene.applyBot({ manage: true });
  expect([await append(1), await append(1), await append(2)]).toEqual([1, 0, 0]);
  expect(await scene.commands.xlen(scene.keys.history)).toBe(2);
  expect(await scene.counted()).toEqual(['0 0 0 0 2', '0 0 0 0 2']);
});

test('nothing is kept before the bot is set up, of another registration, or without history', async () => {
  expect(await append(1)).toBe(-2);
  await scene.applyBot({});
  expect([await append(1), await append(1, 'another')]).toEqual([-1, -1]);
});
