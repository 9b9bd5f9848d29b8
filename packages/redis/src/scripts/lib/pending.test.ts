import { BOT, type LuaScene, luaScene, NOW_MS } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const [PUSH, FIFTH, SIXTH, RULES] = [`${BOT}:push`, `${BOT}:program:5`, `${BOT}:program:6`, `${BOT}:rules`];
const makePending = (turns: string[], nowMs: number) => {
  const body = `local toWake, isRunning, held = makePending(pendingTurns, cjson.decode(turns), nowMs)
local woken = {}
for _, turn in ipairs(cjson.decode(turns)) do if toWake[turn] then woken[#woken + 1] = turn end end
return { woken, isRunning and 1 or 0, held }`;
  const { pendingTurns } = scene.keys;
  return scene.evaluate('pending', body, { pendingTurns }, { turns: JSON.stringify(turns), nowMs });
};
const hold = (turn: string, nowMs: number) =>
  scene.evaluate(
    'pending',
    'holdTurn(pendingTurns, turn, nowMs)',
    { pendingTurns: scene.keys.pendingTurns },
    { turn, nowMs },
  );
const since = async (turn: string) => {
  const score = await scene.commands.zscore(scene.keys.pendingTurns, turn);
  return score === null ? null : Number(score);
};

test('a turn that is not pending must be woken; one that runs, or is held, knows by the channel', async () => {
  await scene.commands.zadd(scene.keys.pendingTurns, NOW_MS - 900, FIFTH);
  await hold(SIXTH, NOW_MS);
  expect(await makePending([PUSH, FIFTH, SIXTH, RULES], NOW_MS)).toEqual([[PUSH, RULES], 1, [SIXTH]]);
  expect(await makePending([SIXTH], NOW_MS)).toEqual([[], 0, [SIXTH]]);
  expect(await makePending([], NOW_MS)).toEqual([[], 0, []]);
});

test('a held turn is not pending until it has work, and then since its first work', async () => {
  await hold(PUSH, NOW_MS);
  expect(await since(PUSH)).toBeNull();
  expect(await since(`held:${PUSH}`)).toBeGreaterThan(NOW_MS + 90_000);
  await makePending([PUSH], NOW_MS + 100);
  await makePending([PUSH], NOW_MS + 200);
  expect(await since(PUSH)).toBe(NOW_MS + 100);
  const { pendingTurns } = scene.keys;
  await scene.evaluate('pending', 'endPending(pendingTurns, turn)', { pendingTurns }, { turn: PUSH });
  expect(await scene.commands.exists(scene.keys.pendingTurns)).toBe(0);
});

test('a breaker that is open keeps its time, which is not that of a held turn', async () => {
  await scene.commands.zadd(scene.keys.pendingTurns, NOW_MS + 2000, FIFTH);
  expect(await makePending([FIFTH], NOW_MS)).toEqual([[], 1, []]);
  expect(await since(FIFTH)).toBe(NOW_MS + 2000);
});
