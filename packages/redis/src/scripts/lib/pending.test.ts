import { BOT, type LuaScene, luaScene, NOW_MS } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const [PUSH, FIFTH, SIXTH, RULES] = [`${BOT}:push`, `${BOT}:program:5`, `${BOT}:program:6`, `${BOT}:rules`];
const makePending = (turns: string[], nowMs: number, told = '') => {
  const body = `local toWake, isRunning, held = makePending(KEYS[1], cjson.decode(ARGV[1]), ARGV[2], ARGV[3])
local woken = {}
for _, turn in ipairs(cjson.decode(ARGV[1])) do if toWake[turn] then woken[#woken + 1] = turn end end
return { woken, isRunning and 1 or 0, held }`;
  return scene.evaluate('pending', body, [scene.keys.pendingTurns], [JSON.stringify(turns), nowMs, told]);
};
const hold = (turn: string, nowMs: number) =>
  scene.evaluate('pending', 'holdTurn(KEYS[1], ARGV[1], tonumber(ARGV[2]))', [scene.keys.pendingTurns], [turn, nowMs]);
const since = (turn: string) => scene.commands.zscore(scene.keys.pendingTurns, turn).then(Number);

test('a turn that is not pending must be woken; one that runs, or is held, knows by the channel', async () => {
  await scene.commands.zadd(scene.keys.pendingTurns, NOW_MS - 900, FIFTH);
  await hold(SIXTH, NOW_MS);
  expect(await makePending([PUSH, FIFTH, SIXTH, RULES], NOW_MS)).toEqual([[PUSH, RULES], 1, [SIXTH]]);
  expect(await makePending([SIXTH], NOW_MS)).toEqual([[], 0, [SIXTH]]);
  expect(await makePending([], NOW_MS)).toEqual([[], 0, []]);
});

test('a held turn is pending in the future until it has work, and then since its first work', async () => {
  await hold(PUSH, NOW_MS);
  expect(await since(PUSH)).toBeGreaterThan(NOW_MS + 90_000);
  await makePending([PUSH], NOW_MS + 100);
  expect(await since(PUSH)).toBe(NOW_MS + 100.5);
  await makePending([PUSH], NOW_MS + 200);
  expect(await since(PUSH)).toBe(NOW_MS + 100.5);
});

test('a breaker that is open keeps its time, which is not that of a held turn', async () => {
  await scene.commands.zadd(scene.keys.pendingTurns, NOW_MS + 2000, FIFTH);
  expect(await makePending([FIFTH], NOW_MS)).toEqual([[], 1, []]);
  expect(await since(FIFTH)).toBe(NOW_MS + 2000);
});

test('a turn that the caller tells itself is pending like the others, and is not told by the channel', async () => {
  await scene.commands.zadd(scene.keys.pendingTurns, NOW_MS - 900, FIFTH);
  await hold(PUSH, NOW_MS);
  expect(await makePending([PUSH, FIFTH], NOW_MS, FIFTH)).toEqual([[], 0, [PUSH]]);
  expect(await makePending([PUSH, FIFTH], NOW_MS + 100, PUSH)).toEqual([[], 1, []]);
  expect(await since(PUSH)).toBe(NOW_MS + 0.5);
  expect(await makePending([RULES], NOW_MS, RULES)).toEqual([[RULES], 0, []]);
});
