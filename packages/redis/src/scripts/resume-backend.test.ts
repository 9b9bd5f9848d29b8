import { programKeys } from '@flotilla/redis/keys.ts';
import { type LuaScene, luaScene, NOW_MS, REGISTRATION, writtenNow } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('closes an open breaker and makes what waits due, and leaves a closed one alone', async () => {
  const { state, lanes } = scene.keys;
  const resume = (registrationId = REGISTRATION) =>
    scripts.closeBreaker(scene.commands, scene.keys, { registrationId, botId: 1 });
  await scene.applyBot({ push: true });
  expect(await resume()).toBe(false);
  await scene.commands.hset(state, { failingSince: 1, probeIntervalMs: 2000, openUntil: NOW_MS + 60_000 });
  await scene.commands.zadd(lanes, NOW_MS + 60_000, 'c:5');
  expect([await resume('another'), await resume(), await resume()]).toEqual([false, true, false]);
  expect(await scene.commands.zscore(lanes, 'c:5')).toEqual(writtenNow());
  expect(await scene.commands.hmget(state, 'failingSince', 'probeIntervalMs', 'openUntil')).toEqual([null, null, null]);
});

test('trying a backend makes what waits due, and the next probe of an open breaker, which stays open', async () => {
  const { state, lanes, pendingTurns } = scene.keys;
  const attempt = async (registrationId = REGISTRATION) => {
    const args = { registrationId, botId: 1, programId: null };
    return (await scripts.resumeBackend(scene.commands, { ...scene.keys, readerState: state }, args)).outcome;
  };
  await scene.applyBot({});
  expect(await attempt()).toBe('OFF');
  await scene.applyBot({ push: true, revision: 2 });
  await scene.commands.zadd(lanes, ...[NOW_MS + 60_000, 'c:5', 9e15, 'c:6', NOW_MS - 5, 'c:7'].map(String));
  expect([await attempt('another'), await attempt()]).toEqual(['GONE', 'OK']);
  // A unit in flight stays in flight, and what was due is due since then.
  expect(await scene.commands.zrange(lanes, '0', '-1', 'WITHSCORES')).toEqual([
    ...['c:7', String(NOW_MS - 5)],
    ...['c:5', writtenNow()],
    ...['c:6', String(9e15)],
  ]);
  expect(await scene.commands.zscore(pendingTurns, '1:push')).toEqual(writtenNow());
  expect(await scene.commands.hget(state, 'openUntil')).toBeNull();
  await scene.commands.hset(state, { failingSince: 1, probeIntervalMs: 60_000, openUntil: NOW_MS + 60_000 });
  expect(await attempt()).toBe('OK');
  expect(await scene.commands.hmget(state, 'failingSince', 'probeIntervalMs', 'openUntil')).toEqual([
    '1',
    null,
    writtenNow(),
  ]);
});

test('trying the backend of a program leaves that of the bot and of other programs alone', async () => {
  const { state, lanes, pendingTurns } = scene.keys;
  const own = programKeys(1, 4);
  const attempt = async () => {
    const keys = { state, lanes: own.lanes, pendingTurns, readerState: own.state };
    const args = { registrationId: REGISTRATION, botId: 1, programId: 4 };
    return (await scripts.resumeBackend(scene.commands, keys, args)).outcome;
  };
  const settings = { push: true, programs: [4, 44] };
  await scene.applyBot({ ...settings, pushing: ' 44:1:x' });
  expect(await attempt()).toBe('OFF');
  await scene.applyBot({ ...settings, pushing: ' 4:0:x 44:1:x', revision: 2 });
  // It is paused.
  expect(await attempt()).toBe('OFF');
  await scene.applyBot({ ...settings, pushing: ' 4:1:x 44:1:x', revision: 3 });
  await scene.commands.del(pendingTurns);
  const open = { failingSince: 1, probeIntervalMs: 60_000, openUntil: NOW_MS + 60_000 };
  for (const key of [state, own.state, programKeys(1, 44).state]) await scene.commands.hset(key, open);
  for (const key of [lanes, own.lanes]) await scene.commands.zadd(key, NOW_MS + 60_000, 'c:5');
  expect(await attempt()).toBe('OK');
  const probes = await Promise.all(
    [state, own.state, programKeys(1, 44).state].map((key) =>
      scene.commands.hmget(key, 'openUntil', 'probeIntervalMs'),
    ),
  );
  const untouched = [String(NOW_MS + 60_000), '60000'];
  expect(probes).toEqual([untouched, [writtenNow(), null], untouched]);
  expect(await scene.commands.zscore(own.lanes, 'c:5')).toEqual(writtenNow());
  expect(await scene.commands.zscore(lanes, 'c:5')).toBe(String(NOW_MS + 60_000));
  expect(await scene.commands.zrange(pendingTurns, '0', '-1')).toEqual(['1:program:4']);
});
