import { type LuaScene, luaScene, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('sets fields of this registration only', async () => {
  const patch = (registration: string) =>
    scene.run('patch-bot-state', [scene.keys.state], [registration, 'pollErr', 'x', 'pollErrAt', 5]);
  expect(await patch(REGISTRATION)).toBe(0);
  await scene.applyBot({ pull: true });
  expect([await patch('another'), await patch(REGISTRATION)]).toEqual([0, 1]);
  expect(await scene.commands.hmget(scene.keys.state, 'pollErr', 'pollErrAt')).toEqual(['x', '5']);
});
