import { type LuaScene, luaScene, NOW_MS, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

type Row = [reader: string, cursor: string, behind: number, oldest: number | '', ...rest: (string | number)[]];

const read = async (registration = REGISTRATION, atMs = NOW_MS) => {
  const { state, log, consumers, lanes, inFlight, rulesLanes, rulesInFlight, lane, rulesLane } = scene.keys;
  const keys = [state, log, consumers, lanes, inFlight, rulesLanes, rulesInFlight];
  return scene.run('read-readers', keys, [registration, atMs, lane(''), rulesLane('')]);
};
const rows = async () =>
  Object.fromEntries(((await read()).slice(2) as Row[]).map(([reader, ...row]) => [reader, row]));
const claim = (name: string, token?: number, end = '') =>
  scene.run(
    'claim-for-push',
    [...scene.turnKeys('push'), scene.keys.attempts, ...scene.activity],
    [
      ...scene.claimArguments('push', { name, limit: 1, end, ...(token === undefined ? {} : { token }) }),
      '',
      '',
      '',
      '',
    ],
  );

test('answers nothing of another registration', async () => {
  await scene.applyBot({ push: true });
  expect(await read('another')).toEqual(['GONE']);
});

test('counts what waits in lanes and what is in flight, and finds the oldest of it', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1, 2], 'c:5');
  await scene.accept([3], 'c:6');
  expect((await rows()).push).toEqual(['0', 3, NOW_MS, 0, '', 3, '']);
  await claim('first');
  // All are filed: one is in flight, and two wait in lanes.
  expect((await rows()).push).toEqual(['3', 3, NOW_MS, 1, String(NOW_MS), 3, '']);
});

test('finds the oldest update by a lower bound where there are very many lanes', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1, 2]);
  await claim('first');
  const lanes = Array.from({ length: 1_001 }, (_, at) => [String(NOW_MS), `c:${at + 100}`]).flat();
  await scene.commands.zadd(scene.keys.lanes, ...lanes);
  expect((await rows()).push?.[2]).toBe(NOW_MS);
});

test('a reader alone keeps what no other one needs; two that are equally far keep nothing alone', async () => {
  await scene.applyBot({ pull: true, push: true });
  await scene.accept([1, 2, 3, 4]);
  const keeps = async () => Object.fromEntries(Object.entries(await rows()).map(([reader, row]) => [reader, row[5]]));
  await scene.commands.hset(scene.keys.state, { pullCursor: 3, pullCursorCount: 3, pushFloor: 1 });
  expect(await keeps()).toEqual({ pull: 0, push: 2, rules: 0 });
  await scene.commands.hset(scene.keys.consumers, 'slow', `1 ${NOW_MS}`);
  expect(await keeps()).toEqual({ pull: 0, push: 0, rules: 0, 'consumer:slow': 0 });
  await scene.commands.hset(scene.keys.consumers, 'slow', `0 ${NOW_MS}`);
  expect(await keeps()).toEqual({ pull: 0, push: 0, rules: 0, 'consumer:slow': 1 });
});

test('forgetting a consumer lets the log go that was kept for it, once, for this registration only', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2, 3]);
  await scene.commands.hset(scene.keys.state, { pullCursor: 3, keptFrom: 3 });
  await scene.commands.hset(scene.keys.consumers, 'archive', `0 ${NOW_MS}`);
  const { state, log, consumers } = scene.keys;
  const forget = (registration = REGISTRATION) =>
    scene.run('forget-consumer', [state, log, consumers], [registration, NOW_MS, 'archive']);
  expect([await forget('another'), await scene.commands.xlen(log)]).toEqual([['GONE'], 3]);
  expect([await forget(), await scene.commands.xlen(log)]).toEqual([['OK'], 0]);
  expect(await forget()).toEqual(['UNKNOWN']);
});
