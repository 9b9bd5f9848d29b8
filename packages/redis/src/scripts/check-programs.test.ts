import { programKeys } from '@flotilla/redis/keys.ts';
import { BOT, DAY_MS, type LuaScene, luaScene, NOW_MS, okOf, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

const ID = 5;
const PUSHING = { programs: [ID], pushing: ` ${ID}:1:ab` };

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const own = programKeys(BOT, ID);
const check = ({ updates = 100, ms = DAY_MS, registration = REGISTRATION, tight = null as number | null } = {}) =>
  scripts.checkPrograms(scene.commands, scene.keys, {
    registrationId: registration,
    botId: BOT,
    programPrefix: scene.keys.programPrefix,
    limit: updates,
    limitMs: ms,
    tightLimit: tight,
    tightForMs: 3_600_000,
  });
const found = (newestId: number, { woken = [] as number[], behind = [] as string[] } = {}) => ({
  outcome: 'OK',
  newestId,
  wakePrograms: woken,
  behind: behind.map((limit) => ({ programId: ID, limit })),
});
/** Its turn found nothing more to do. */
const endTurn = () => scene.commands.zrem(scene.keys.pendingTurns, `${BOT}:program:${ID}`);

test('a program is behind by the number of updates that wait, by their age, or by its last poll', async () => {
  await scene.applyBot({ programs: [ID] });
  await scene.accept([1, 100_002, 100_003]);
  expect(await check({ updates: 3 })).toEqual(found(100_003));
  expect(await check({ updates: 2 })).toEqual(found(100_003, { behind: ['updates'] }));
  await scene.passMs(DAY_MS + 1);
  expect(await check()).toEqual(found(100_003, { behind: ['time'] }));
});

test('kinds that the default readers leave out count too for the slowest, because they fill memory as well', async () => {
  await scene.applyBot({ programs: [ID] });
  await scene.accept([1, 2, 3], 'c:5', 'message_reaction');
  expect(await check({ updates: 2 })).toEqual(found(3, { behind: ['updates'] }));
  expect(await scene.accept([4], 'c:5', 'message', { quickest: 3 })).toEqual({ outcome: 'FULL' });
});

test('of one that pushes count what waits in its lanes and what came after, not what follows an old update', async () => {
  await scene.applyBot(PUSHING);
  await scene.accept([1, 2, 3, 4, 5]);
  await scene.commands.hset(own.state, 'pushCursor', 4, 'pushCursorCount', 4, 'pushPending', 1);
  expect(await check({ updates: 2 })).toEqual(found(5));
  expect(await check({ updates: 1 })).toEqual(found(5, { behind: ['updates'] }));
});

test('one that was parked and did not poll since is not behind', async () => {
  await scene.applyBot({ programs: [ID] });
  await scene.accept([1]);
  await scene.commands.hset(scene.keys.consumers, `program:${ID}`, '0 0');
  await scene.passMs(DAY_MS + 1);
  expect(await check({ updates: 0 })).toEqual(found(1));
});

test('one that pulls and polled since it was parked has its time to catch up again while memory is tight', async () => {
  await scene.applyBot({ programs: [ID] });
  await scene.accept([1, 2, 3, 4]);
  const behind = async () => okOf(await check({ tight: 4 })).behind.map(({ limit }) => limit);
  await scene.commands.hset(own.state, 'parkedAt', NOW_MS - 1);
  expect(await behind()).toEqual([]);
  await scene.passMs(3_600_001);
  expect(await behind()).toEqual(['memory']);
  await scene.applyBot({ programs: [ID], revision: 2, dropPendingOf: ID });
  await scene.accept([5, 6, 7, 8]);
  expect(await behind()).toEqual([]);
  await scene.commands.hset(own.state, 'parkedAt', Date.now());
  expect(await behind()).toEqual(['memory']);
});

test('one that pushes is woken once for updates that woke nobody, and for a lane that is due', async () => {
  await scene.applyBot(PUSHING);
  await scene.accept([1]);
  expect(await check()).toEqual(found(1));
  await endTurn();
  expect(await check()).toEqual(found(1, { woken: [ID] }));
  expect(await check()).toEqual(found(1));
  await endTurn();
  await scene.commands.hset(own.state, 'pushCursor', 1);
  expect(await check()).toEqual(found(1));
  await scene.commands.zadd(own.lanes, NOW_MS + 3_600_000, 'c:5');
  expect(await check()).toEqual(found(1));
  await scene.passMs(3_600_000);
  expect(await check()).toEqual(found(1, { woken: [ID] }));
});

test('nobody is woken who pulls or is paused, nor any program of a disabled bot', async () => {
  await scene.applyBot({ programs: [ID] });
  await scene.accept([1]);
  expect(await check()).toEqual(found(1));
  await scene.applyBot({ programs: [ID], pushing: ` ${ID}:0:ab`, revision: 2 });
  expect(await check()).toEqual(found(1));
  await scene.applyBot({ ...PUSHING, revision: 3 });
  await endTurn();
  await scene.commands.hset(scene.keys.state, 'on', 0);
  expect(await check()).toEqual(found(1));
  await scene.commands.hset(scene.keys.state, 'on', 1);
  expect(await check()).toEqual(found(1, { woken: [ID] }));
});

test('a bot that is gone, or was registered anew, has no programs to look at', async () => {
  expect(await check()).toEqual({ outcome: 'GONE' });
  await scene.applyBot(PUSHING);
  expect(await check({ registration: 'registration-0' })).toEqual({ outcome: 'GONE' });
});
