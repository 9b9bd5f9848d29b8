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
  writtenNow,
} from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const MORE_LEFT = { outcome: 'OK', waits: false, more: true };

test('what a deleted program took and did not acknowledge becomes dead letters', async () => {
  await scene.applyBot({ pull: true, programs: [5, 6], filters: 'b' });
  await scene.accept([1, 2, 3, 4], 'c:5', 'message', { filters: 'b', marks: ['=5', '=5', '=6', ',5,'] });
  await scene.commands.hset(scene.keys.consumers, 'program:5', `1 ${NOW_MS}`);
  await scene.applyBot({ pull: true, programs: [6], revision: 2 });
  const letters = await scene.commands.xrange(scene.keys.history, '-', '+');
  const reason = 'program 5, which took it alone, was deleted';
  expect(letters).toHaveLength(1);
  expect(letters[0]?.[1]).toEqual(
    expect.arrayContaining(['dead', '2', 'push', 'backend_removed', reason, REGISTRATION]),
  );
  expect(await scene.commands.zscore(scene.keys.pendingTurns, 'history')).toEqual(writtenNow());
});

test('what a deleted program took and was sent again is left too, and what has expired in its lane', async () => {
  const own = programKeys(BOT, 5);
  await scene.applyBot({ programs: [5], pushing: ' 5:1:ab', filters: 'b' });
  await scene.accept([1, 2, 3], 'c:5', 'message', { filters: 'b', marks: ['=5', '=5', ''] });
  await scene.commands.hset(own.redriven, {
    ...Object.fromEntries(
      Array.from({ length: 250 }, (_, at) => [`r${at}`, JSON.stringify({ id: 1000 + at, raw: '{}', exclusive: '1' })]),
    ),
    r900: JSON.stringify({ id: 900, raw: '{}', exclusive: '0' }),
  });
  await scene.commands.rpush(own.lane('c:5'), 'r1', '2', 'r900');
  await scene.commands.zadd(own.lanes, NOW_MS, 'c:5');
  await scene.commands.hset(own.state, 'pushCursor', 3);
  await scene.passMs(DAY_MS);
  const remove = () => scene.applyBot({ revision: 2 });
  expect(await remove()).toEqual(MORE_LEFT);
  expect(await scene.commands.hlen(own.redriven)).toBe(51);
  while (okOf(await remove()).more);
  const letters = await scene.commands.xrange(scene.keys.history, '-', '+');
  const ids = letters.map(([, fields]) => Number(fields[fields.indexOf('i') + 1])).sort((one, other) => one - other);
  expect(ids).toEqual([2, ...Array.from({ length: 250 }, (_, at) => 1000 + at)]);
  expect(new Set(letters.map(([, fields]) => fields[fields.indexOf('d') + 1]))).toEqual(new Set(['push']));
  expect(await scene.commands.exists(own.redriven, own.state, own.lane('c:5'))).toBe(0);
});

test('of what a deleted program took, a call makes 200 dead letters, and the program is forgotten with the last of it', async () => {
  await scene.applyBot({ pull: true, programs: [5], filters: 'b' });
  const ids = Array.from({ length: 450 }, (_, at) => at + 1);
  await scene.accept(ids, 'c:5', 'message', { filters: 'b', marks: ids.map(() => '=5') });
  const remove = () => scene.applyBot({ pull: true, revision: 2 });
  const letters = () => scene.deadLetters();
  const cursor = () => scene.commands.hget(scene.keys.consumers, 'program:5');
  expect([await remove(), await letters(), await cursor()]).toEqual([MORE_LEFT, 200, storedAt(200)]);
  expect([await remove(), await letters(), await cursor()]).toEqual([MORE_LEFT, 400, storedAt(400)]);
  expect([await remove(), await letters(), await cursor()]).toEqual([{ ...MORE_LEFT, more: false }, 450, null]);
});
