import { BOT, type LuaScene, luaScene, NOW_MS } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('an update is kept once, under its id, for every reader that is on', async () => {
  await scene.applyBot({ push: true, rules: true, manage: true });
  expect(await scene.accept([5, 6, 5])).toEqual(['OK', 2, 1, 1, 1, 6, 1, 1]);
  const log = await scene.commands.xrange(scene.keys.log, '-', '+');
  expect(log.map(([id]) => id)).toEqual(['5-0', '6-0']);
  expect(await scene.commands.xlen(scene.keys.history)).toBe(2);
  expect(await scene.counted()).toEqual(['2 0 0 0 0', '2 0 0 0 0']);
  const pending = [`${BOT}:push`, `${BOT}:rules`, 'history'];
  expect((await scene.commands.zrange(scene.keys.pendingTurns, '0', '-1')).sort()).toEqual(pending);
});

test('what comes late gets the next id, in its text too', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([9, 5]);
  const log = await scene.commands.xrange(scene.keys.log, '-', '+');
  expect(log.map(([id, fields]) => [id, fields[1]])).toEqual([
    ['9-0', '{"update_id":9}'],
    ['10-0', '{"update_id":10}'],
  ]);
});

test('nothing is kept of a bot that is gone, and readers that are off start at the end', async () => {
  expect(await scene.accept([1])).toEqual(['GONE']);
  await scene.applyBot({ push: true });
  await scene.accept([1]);
  const fields = ['last', 'n', 'acked', 'ackedN', 'filed'];
  expect(await scene.commands.hmget(scene.keys.state, ...fields)).toEqual(['1', '1', '1', '1', '0']);
});

test('an append wakes no push while the breaker is open', async () => {
  await scene.applyBot({ push: true });
  await scene.commands.hset(scene.keys.state, 'closedUntil', NOW_MS + 1);
  expect((await scene.accept([1]))[3]).toBe(0);
  expect(await scene.commands.exists(scene.keys.pendingTurns)).toBe(0);
});

test('a bot that only programs read is full when the quickest of them is behind by the limit', async () => {
  await scene.applyBot({ programs: [5, 6] });
  const accept = (id: number) => scene.accept([id], 'c:5', 'message', { quickest: 2 });
  expect([(await accept(1))[0], (await accept(2))[0], (await accept(3))[0]]).toEqual(['OK', 'OK', 'FULL']);
  await scene.commands.hset(scene.keys.consumers, 'program:6', `2 ${NOW_MS}`);
  expect((await accept(3))[0]).toBe('OK');
});

test('when memory is tight, the slowest program counts like any slow reader', async () => {
  await scene.applyBot({ pull: true, programs: [5] });
  await scene.accept([1, 2]);
  await scene.commands.hset(scene.keys.state, { acked: 2, ackedN: 2 });
  expect(await scene.accept([3], 'c:5', 'message', { slowest: 2 })).toEqual(['FULL']);
  await scene.commands.hset(scene.keys.consumers, 'program:5', `2 ${NOW_MS}`);
  expect((await scene.accept([3], 'c:5', 'message', { slowest: 2 }))[0]).toBe('OK');
});
