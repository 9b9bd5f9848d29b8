import { type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const file = async (lane: string, dueMs: number, ...ids: string[]) => {
  await scene.commands.rpush(scene.keys.lane(lane), ...ids);
  await scene.commands.zadd(scene.keys.lanes, dueMs, lane);
};
const due = () => scene.commands.zrange(scene.keys.lanes, '0', '-1', 'WITHSCORES');

test('the lowest pending id is the log’s: redriven updates have ids of their own', async () => {
  const { lanes } = scene.keys;
  const lowest = () =>
    scene.evaluate('lanes', 'return lowestPending(lanes, prefix)', { lanes }, { prefix: scene.keys.lane('') });
  expect(await lowest()).toBeNull();
  await file('c:5', 1, 'r1', '9', '10');
  await file('c:6', 1, '12');
  expect(await lowest()).toBe(9);
  await file('c:7', 1, ...Array.from({ length: 250 }, (_, at) => `r${at}`), '8', '13');
  await file('c:8', 1, 'r300');
  expect(await lowest()).toBe(8);
});

test('what a dead owner had in flight is due before everything else', async () => {
  await file('c:5', 9e15, '1');
  await file('c:6', 3, '2');
  await scene.commands.hset(scene.keys.inFlight, 'c:5', 'claim 1');
  const { lanes, inFlight } = scene.keys;
  await scene.evaluate('lanes', 'restoreInFlight(lanes, inFlight)', { lanes, inFlight });
  expect(await due()).toEqual(['c:5', '0', 'c:6', '3']);
  expect(await scene.commands.exists(scene.keys.inFlight)).toBe(0);
});

test('all that waits is due now, but for what is in flight', async () => {
  await file('c:5', 9e15, '1');
  await file('c:6', 50, '2');
  await file('c:7', 3, '3');
  await scene.evaluate('lanes', 'allDueNow(lanes, 10)', { lanes: scene.keys.lanes });
  expect(await due()).toEqual(['c:7', '3', 'c:6', '10', 'c:5', '9000000000000000']);
});

test('clearing lanes forgets everything and answers what was redriven', async () => {
  const { lanes, inFlight, work, redriven } = scene.keys;
  await file('c:5', 1, 'r1');
  await scene.commands.hset(work, 's:r1', 1);
  await scene.commands.hset(redriven, 'r1', 'the text');
  const body = 'return clearLanes({ lanes = lanes, inFlight = inFlight, work = work, redriven = redriven }, prefix)';
  const keys = { lanes, inFlight, work, redriven };
  expect(await scene.evaluate('lanes', body, keys, { prefix: scene.keys.lane('') })).toEqual(['the text']);
  expect(await scene.commands.keys('*')).toEqual([]);
});
