import { type LuaScene, luaScene, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('notes a higher id, in a state of this run and this registration only', async () => {
  const { state } = scene.keys;
  const note = (id: number, registration = REGISTRATION) => scene.run('note-reserved', [state], [registration, id]);
  await scene.applyBot({ pull: true });
  expect([await note(9), await note(5), await note(20, 'another')]).toEqual([1, 1, 0]);
  await scene.commands.hset(state, 'run', 'an earlier one');
  expect(await note(30)).toBe(0);
  expect(await scene.commands.hget(state, 'reserved')).toBe('9');
});
