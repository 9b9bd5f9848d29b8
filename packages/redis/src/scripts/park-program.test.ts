import { programKeys } from '@flotilla/redis/keys.ts';
import {
  BOT,
  DAY_MS,
  type LuaScene,
  luaScene,
  NOW_MS,
  okOf,
  REGISTRATION,
  storedAt,
} from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

const ID = 5;
const REASON = 'it was parked';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const own = programKeys(BOT, ID);
const check = ({ updates = 100, ms = DAY_MS, tight = null as number | null } = {}) =>
  scripts.checkPrograms(scene.commands, scene.keys, {
    registrationId: REGISTRATION,
    botId: BOT,
    programPrefix: scene.keys.programPrefix,
    limit: updates,
    limitMs: ms,
    tightLimit: tight,
    tightForMs: 3_600_000,
  });
const park = (upTo: number, limit = 200, kinds = '') =>
  scripts.parkProgram(scene.commands, scene.keys, {
    registrationId: REGISTRATION,
    botId: BOT,
    programPrefix: scene.keys.programPrefix,
    programId: ID,
    upTo,
    limit,
    kinds,
    reason: REASON,
  });
const parked = (deadLetters: number, { more = false, wakeHistory = false } = {}) => ({
  outcome: 'OK',
  deadLetters,
  more,
  wakeHistory,
});
const consumer = () => scene.commands.hget(scene.keys.consumers, `program:${ID}`);
const givenUp = async () => {
  const records = await scene.commands.xrange(scene.keys.history, '-', '+');
  return records.map(([, fields]) => {
    const of = (name: string) => fields[fields.indexOf(name) + 1];
    return [of('d'), of('i'), of('code'), of('w')];
  });
};
const dead = (...ids: number[]) => ids.map((id) => [`program:${ID}`, String(id), 'too_far_behind', REASON]);

test('while memory is tight it is behind with fewer updates, once it had time to catch up; again at once', async () => {
  await scene.applyBot({ programs: [ID], pushing: ` ${ID}:1:ab` });
  await scene.accept([1, 2, 3, 4]);
  const behind = async (tight: number | null) =>
    okOf(await check({ tight })).behind.map(({ programId, limit }) => `${programId} ${limit}`);
  expect(await behind(4)).toEqual([]);
  await scene.passMs(3_600_001);
  expect(await behind(null)).toEqual([]);
  expect(await behind(5)).toEqual([]);
  expect(await behind(4)).toEqual([`${ID} memory`]);
  expect(await park(4)).toEqual(parked(4, { wakeHistory: true }));
  expect(await behind(4)).toEqual([]);
  await scene.accept([5]);
  expect(await behind(5)).toEqual([]);
  expect(await behind(4)).toEqual([`${ID} memory`]);
});

test('what waits for one that pulls becomes dead letters, a batch a call; it keeps nothing until it polls again', async () => {
  await scene.applyBot({ programs: [ID] });
  await scene.accept([1, 2]);
  await scene.accept([3], 'c:6', 'poll');
  await scene.accept([4]);
  expect(await park(4, 2, ',message,')).toEqual(parked(2, { more: true, wakeHistory: true }));
  expect(await consumer()).toEqual(storedAt(2));
  expect(await park(4, 2, ',message,')).toEqual(parked(1));
  expect(await givenUp()).toEqual(dead(1, 2, 4));
  expect(await consumer()).toBe('4 0');
  expect(await scene.commands.xlen(scene.keys.log)).toBe(0);
  expect(await check({ updates: 0, ms: 0 })).toMatchObject({ newestId: 4, wakePrograms: [], behind: [] });
});

test('of one that pushes the lanes and the rest of the log, but nothing that is in flight or came later', async () => {
  await scene.applyBot({ programs: [ID], pushing: ` ${ID}:1:ab` });
  await scene.accept([1, 2, 3, 4, 5]);
  for (const [lane, ids] of [
    ['c:5', ['1', '2']],
    ['c:6', ['3']],
  ] as const) {
    await scene.commands.rpush(own.lane(lane), ...ids);
    await scene.commands.zadd(own.lanes, lane === 'c:5' ? 9e15 : NOW_MS, lane);
  }
  await scene.commands.hset(own.inFlight, 'c:5', 'a1');
  await scene.commands.hset(own.state, { pushCursor: 3, pushCursorCount: 3, pushPending: 3 });
  expect(await park(4)).toEqual(parked(3, { wakeHistory: true }));
  expect(await givenUp()).toEqual(dead(3, 2, 4));
  expect(await scene.commands.lrange(own.lane('c:5'), 0, -1)).toEqual(['1']);
  expect(await scene.commands.hmget(own.state, 'pushCursor', 'pushCursorCount', 'pushPending', 'parkedFor')).toEqual([
    '4',
    '4',
    '1',
    REASON,
  ]);
  expect(await consumer()).toEqual(storedAt(0));
  expect((await scene.commands.xrange(scene.keys.log, '-', '+')).length).toBe(5);
});
