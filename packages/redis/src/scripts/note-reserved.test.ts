import { type LuaScene, luaScene, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('notes a higher id, in a state of this run and this registration only', async () => {
  const { state } = scene.keys;
  const note = (reservedId: number, registrationId = REGISTRATION) =>
    scripts.noteReserved(scene.commands, scene.keys, { registrationId, reservedId });
  await scene.applyBot({ pull: true });
  expect([await note(9), await note(5), await note(20, 'another')]).toEqual([true, true, false]);
  await scene.commands.hset(state, 'run', 'an earlier one');
  expect(await note(30)).toBe(false);
  expect(await scene.commands.hget(state, 'reserved')).toBe('9');
});
