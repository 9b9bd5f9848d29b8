import { type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const IDLE = { allowedCount: 10, pull: 0, push: 0, parked: 0, pullCursorCount: 0, pushCursorCount: 0, pushPending: 0 };
const backlogOf = (state: object) =>
  scene.evaluate(
    'backlog',
    'local s = cjson.decode(ARGV[1]) for name, value in pairs(s) do s[name] = tostring(value) end return { backlogOf(s, 5) }',
    [],
    [JSON.stringify({ ...IDLE, ...state })],
  );

test('nothing waits where nobody reads', async () => {
  expect(await backlogOf({})).toEqual([0, 0]);
});

test('the quickest reader limits intake, the slowest one takes memory', async () => {
  expect(await backlogOf({ pull: 1, pullCursorCount: 9, push: 1, pushCursorCount: 8, pushPending: 5 })).toEqual([1, 7]);
});

test('a parked push counts until its time, and rules limit intake only where nobody else reads', async () => {
  const rules = { rules: 1, rulesUnread: 3, rulesPending: 1 };
  expect(await backlogOf({ parked: 6, ...rules })).toEqual([10, 10]);
  expect(await backlogOf({ parked: 5, ...rules })).toEqual([4, 4]);
});
