import { programKeys } from '@flotilla/redis/keys.ts';
import { BOT, type LuaScene, luaScene, NOW_MS, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

const ID = 5;
const PUSHING = { programs: [ID], pushing: ` ${ID}:1:ab` };

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const own = programKeys(BOT, ID);
const check = ({
  updates = 100,
  ms = 1000,
  atMs = NOW_MS,
  registration = REGISTRATION,
  tight = '' as number | '',
} = {}) => {
  const { state, log, consumers, pendingTurns, programs } = scene.keys;
  const args = [registration, atMs, BOT, programs, updates, ms, tight, 500];
  return scene.run('check-programs', [state, log, consumers, pendingTurns], args);
};
/** As when its turn found nothing more to do. */
const endTurn = () => scene.commands.zrem(scene.keys.pendingTurns, `${BOT}:program:${ID}`);

test('a program is behind by the number of updates that wait, by their age, or by its last poll', async () => {
  await scene.applyBot({ programs: [ID] });
  await scene.accept([1, 100_002, 100_003]);
  expect(await check({ updates: 3 })).toEqual(['OK', 100_003, [], []]);
  expect(await check({ updates: 2 })).toEqual(['OK', 100_003, [], [String(ID), 'updates']]);
  expect(await check({ atMs: NOW_MS + 1001 })).toEqual(['OK', 100_003, [], [String(ID), 'time']]);
});

test('kinds that the default readers leave out count too for the slowest, because they fill memory as well', async () => {
  await scene.applyBot({ programs: [ID] });
  await scene.accept([1, 2, 3], 'c:5', 'message_reaction');
  expect(await check({ updates: 2 })).toEqual(['OK', 3, [], [String(ID), 'updates']]);
  expect(await scene.accept([4], 'c:5', 'message', { quickest: 3 })).toEqual(['FULL']);
});

test('of one that pushes count what waits in its lanes and what came after, not what follows an old update', async () => {
  await scene.applyBot(PUSHING);
  await scene.accept([1, 2, 3, 4, 5]);
  await scene.commands.hset(own.state, 'pushCursor', 4, 'pushCursorCount', 4, 'pushPending', 1);
  expect(await check({ updates: 2 })).toEqual(['OK', 5, [], []]);
  expect(await check({ updates: 1 })).toEqual(['OK', 5, [], [String(ID), 'updates']]);
});

test('one that was parked and did not poll since is not behind', async () => {
  await scene.applyBot({ programs: [ID] });
  await scene.accept([1]);
  await scene.commands.hset(scene.keys.consumers, `program:${ID}`, '0 0');
  expect(await check({ updates: 0, atMs: NOW_MS + 5000 })).toEqual(['OK', 1, [], []]);
});

test('one that pulls and polled since it was parked has its time to catch up again while memory is tight', async () => {
  await scene.applyBot({ programs: [ID] });
  await scene.accept([1, 2, 3, 4]);
  const behind = async (atMs: number) => ((await check({ tight: 4, atMs })) as unknown[])[3];
  await scene.commands.hset(own.state, 'parkedAt', NOW_MS - 1);
  expect(await behind(NOW_MS + 500)).toEqual([]);
  expect(await behind(NOW_MS + 600)).toEqual([String(ID), 'memory']);
  await scene.commands.hset(own.state, 'parkedAt', NOW_MS);
  expect(await behind(NOW_MS)).toEqual([String(ID), 'memory']);
});

test('one that pushes is woken once for updates that woke nobody, and for a lane that is due', async () => {
  await scene.applyBot(PUSHING);
  await scene.accept([1]);
  expect(await check()).toEqual(['OK', 1, [], []]);
  await endTurn();
  expect(await check()).toEqual(['OK', 1, [String(ID)], []]);
  expect(await check()).toEqual(['OK', 1, [], []]);
  await endTurn();
  await scene.commands.hset(own.state, 'pushCursor', 1);
  expect(await check()).toEqual(['OK', 1, [], []]);
  await scene.commands.zadd(own.lanes, NOW_MS, 'c:5');
  expect(await check({ atMs: NOW_MS - 1 })).toEqual(['OK', 1, [], []]);
  expect(await check()).toEqual(['OK', 1, [String(ID)], []]);
});

test('nobody is woken who pulls or is paused, nor any program of a disabled bot', async () => {
  await scene.applyBot({ programs: [ID] });
  await scene.accept([1]);
  expect(await check()).toEqual(['OK', 1, [], []]);
  await scene.applyBot({ programs: [ID], pushing: ` ${ID}:0:ab`, revision: 2 });
  expect(await check()).toEqual(['OK', 1, [], []]);
  await scene.applyBot({ ...PUSHING, revision: 3 });
  await endTurn();
  await scene.commands.hset(scene.keys.state, 'on', 0);
  expect(await check()).toEqual(['OK', 1, [], []]);
  await scene.commands.hset(scene.keys.state, 'on', 1);
  expect(await check()).toEqual(['OK', 1, [String(ID)], []]);
});

test('a bot that is gone, or was registered anew, has no programs to look at', async () => {
  expect(await check()).toEqual(['GONE']);
  await scene.applyBot(PUSHING);
  expect(await check({ registration: 'registration-0' })).toEqual(['GONE']);
});
