import { BOT, type LuaScene, luaScene, NOW_MS, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('keeps progress of the owner, and links also of one that was replaced', async () => {
  const { state, rulesWork, history, pendingTurns } = scene.keys;
  const note = (token: number, progress: string, ...links: string[]) =>
    scene.run(
      'note-routed',
      [state, rulesWork, history, pendingTurns],
      [REGISTRATION, token, NOW_MS, BOT, '7', progress, ...links],
    );
  expect(await note(1, '{}')).toEqual(['GONE']);
  await scene.applyBot({ rules: true });
  await scene.commands.hset(state, 'rulesFencingToken', 2);
  expect([await note(2, 'owner', '2', 'l', '{}'), await note(1, 'late', '2', 'l', '{}')]).toEqual([
    ['OK', 1],
    ['FENCED', 0],
  ]);
  expect(await scene.commands.hget(rulesWork, 'p:7')).toBe('owner');
  expect(await scene.commands.xlen(history)).toBe(2);
});
