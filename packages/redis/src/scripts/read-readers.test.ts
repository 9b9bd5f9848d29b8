import { type LuaScene, luaScene, NOW_MS, okOf, REGISTRATION, writtenNow } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const read = (registrationId = REGISTRATION) =>
  scripts.readReaders(scene.commands, scene.keys, {
    registrationId,
    lanePrefix: scene.keys.lane(''),
    rulesLanePrefix: scene.keys.rulesLane(''),
    programPrefix: scene.keys.programPrefix,
  });
const rows = async () => Object.fromEntries(okOf(await read()).readers.map((row) => [row.reader, row]));
const claim = (name: string) =>
  scripts.claimForPush(scene.commands, scene.keys, {
    ...scene.activity,
    ...scene.claimArguments('push', { name, limit: 1 }),
    ...{ lastError: '', failedForMs: null, succeeded: false, answers: 'none' },
  });

test('answers nothing of another registration', async () => {
  await scene.applyBot({ push: true });
  expect(await read('another')).toEqual({ outcome: 'GONE' });
});

test('counts what waits in lanes and what is in flight, and finds the oldest of it', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1, 2], 'c:5');
  await scene.accept([3], 'c:6');
  const waiting = {
    reader: 'push',
    behind: 3,
    oldestAtMs: writtenNow(),
    keeps: 3,
    polledAtMs: null,
    polledBy: '',
    program: null,
  };
  expect((await rows()).push).toEqual({ ...waiting, cursor: 0, inFlight: 0, dueAtMs: null });
  await claim('first');
  // All are filed: one is in flight, and two wait in lanes.
  expect((await rows()).push).toEqual({ ...waiting, cursor: 3, inFlight: 1, dueAtMs: writtenNow() });
});

test('finds the oldest update by a lower bound where there are very many lanes', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1, 2]);
  await claim('first');
  const lanes = Array.from({ length: 1_001 }, (_, at) => [String(NOW_MS), `c:${at + 100}`]).flat();
  await scene.commands.zadd(scene.keys.lanes, ...lanes);
  expect((await rows()).push?.oldestAtMs).toEqual(writtenNow());
});

test('a reader alone keeps what no other one needs; two that are equally far keep nothing alone', async () => {
  await scene.applyBot({ pull: true, push: true });
  await scene.accept([1, 2, 3, 4]);
  const keeps = async () =>
    Object.fromEntries(Object.entries(await rows()).map(([reader, row]) => [reader, row.keeps]));
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
  const { log } = scene.keys;
  const forget = async (registrationId = REGISTRATION) => {
    const args = { registrationId, consumer: 'archive' };
    return (await scripts.forgetConsumer(scene.commands, scene.keys, args)).outcome;
  };
  expect([await forget('another'), await scene.commands.xlen(log)]).toEqual(['GONE', 3]);
  expect([await forget(), await scene.commands.xlen(log)]).toEqual(['OK', 0]);
  expect(await forget()).toBe('UNKNOWN');
});
