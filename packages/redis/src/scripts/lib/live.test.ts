import { type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('an entry that is too large becomes one that only says so', async () => {
  const { live } = scene.keys;
  await scene.commands.xadd(live, '1-0', 't', 'begin');
  const add = (text: string) =>
    scene.evaluate('live', "addLive(live, #text, 't', 'call', 'r', text)", { live }, { text });
  for (const text of ['small', 'x'.repeat(40_000), 'also small']) await add(text);
  const entries = await scene.commands.xrange(live, '(1-0', '+');
  expect(entries.map(([, fields]) => fields)).toEqual([
    ['t', 'call', 'r', 'small'],
    ['t', 'omitted'],
    ['t', 'call', 'r', 'also small'],
  ]);
});

test('nothing is written to a stream that nobody has begun', async () => {
  await scene.evaluate('live', "addLive(live, 1, 't', 'x')", { live: scene.keys.live });
  expect(await scene.commands.exists(scene.keys.live)).toBe(0);
});
