import { type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterAll(() => scene.close());

test('the server’s time has milliseconds', async () => {
  const milliseconds = async () => {
    const [seconds, microseconds] = await scene.commands.time();
    return Number(seconds) * 1000 + Number(microseconds) / 1000;
  };
  const before = await milliseconds();
  const told = Number(await scene.evaluate('clock', 'return tostring(serverNow())'));
  expect(told).toBeGreaterThanOrEqual(Math.floor(before));
  expect(told).toBeLessThanOrEqual(await milliseconds());
});
