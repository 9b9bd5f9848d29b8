import { DAY_MS, type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const IDLE = {
  allowedCount: 10,
  pull: 0,
  push: 0,
  pushKeptUntil: 0,
  pullCursorCount: 0,
  pushCursorCount: 0,
  pushPending: 0,
};
const backlogOf = (state: object) =>
  scene.evaluate(
    'backlog',
    'local s = cjson.decode(known) for name, value in pairs(s) do s[name] = tostring(value) end return { backlogOf(s, 5) }',
    {},
    { known: JSON.stringify({ ...IDLE, ...state }) },
  );

test('nothing waits where nobody reads', async () => {
  expect(await backlogOf({})).toEqual([0, 0]);
});

test('the quickest reader limits intake, the slowest one takes memory', async () => {
  expect(await backlogOf({ pull: 1, pullCursorCount: 9, push: 1, pushCursorCount: 8, pushPending: 5 })).toEqual([1, 7]);
});

test('a pushKeptUntil push counts until its time, and rules limit intake only where nobody else reads', async () => {
  const rules = { rules: 1, rulesUnread: 3, rulesPending: 1 };
  expect(await backlogOf({ pushKeptUntil: 6, ...rules })).toEqual([10, 10]);
  expect(await backlogOf({ pushKeptUntil: 5, ...rules })).toEqual([4, 4]);
});

describe('a backlog at its limit', () => {
  const idsFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);
  const accept = async (ids: number[], settings: Parameters<LuaScene['accept']>[3]) =>
    (await scene.accept(ids, 'c:5', 'message', settings)).outcome;
  const waiting = async () => {
    const [count, passed] = await scene.commands.hmget(scene.keys.state, 'allowedCount', 'pullCursorCount');
    return Number(count) - Number(passed);
  };

  test('lets go of what has expired, so that intake goes on though nobody polls', async () => {
    await scene.applyBot({ pull: true });
    for (let first = 1; first <= 1000; first += 100) await accept(idsFrom(first, 100), { quickest: 1000 });
    expect(await accept([1001], { quickest: 1000 })).toBe('FULL');
    await scene.passMs(DAY_MS);
    // A part at a time, which is more than an append brings.
    const left = [];
    for (let first = 1001; first <= 1601; first += 100) {
      expect(await accept(idsFrom(first, 100), { quickest: 1000 })).toBe('OK');
      left.push(await waiting());
    }
    expect(left).toEqual([899, 798, 697, 596, 500, 600, 700]);
  });

  test('lets go of it when memory is tight, too, within a few calls', async () => {
    await scene.applyBot({ pull: true });
    for (let first = 1; first <= 1000; first += 100) await accept(idsFrom(first, 100), {});
    await scene.passMs(DAY_MS);
    const calls = [];
    for (let call = 0; call < 5; call += 1) calls.push(await accept([1001 + call], { slowest: 300 }));
    expect(calls).toEqual(['FULL', 'FULL', 'FULL', 'OK', 'OK']);
  });

  test('is full until the update at its head has expired, and stays so for push, which makes dead letters of such', async () => {
    await scene.applyBot({ pull: true });
    await accept([1, 2], {});
    expect(await accept([3], { quickest: 2 })).toBe('FULL');
    await scene.passMs(DAY_MS);
    expect(await accept([3], { quickest: 2 })).toBe('OK');
    await scene.applyBot({ push: true, revision: 2 });
    await accept([4, 5], {});
    await scene.passMs(DAY_MS);
    expect(await accept([6], { quickest: 2 })).toBe('FULL');
    expect(await scene.commands.hmget(scene.keys.state, 'pushCursor', 'pushCursorCount', 'pushFloor')).toEqual([
      '2',
      '2',
      '2',
    ]);
  });
});
