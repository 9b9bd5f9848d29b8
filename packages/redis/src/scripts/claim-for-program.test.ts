import { programKeys } from '@flotilla/redis/keys.ts';
import {
  BOT,
  DAY_MS,
  type LuaScene,
  luaScene,
  NOW_MS,
  okOf,
  REGISTRATION,
  type Settled,
  storedAt,
  writtenNow,
} from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type ClaimForPushArgs, scripts } from '../script-calls.ts';

const ID = 5;
const MEMBER = `${BOT}:program:${ID}`;
const DEFAULT_KINDS = '!,chat_member,message_reaction,message_reaction_count,';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const own = programKeys(BOT, ID);
const pushing = { programs: [ID], pushing: ` ${ID}:1:ab` };
type Claim = Parameters<LuaScene['claimArguments']>[1] & { kinds?: string; ofTaken?: string; revision?: number };
const NO_REQUESTS = { lastError: '', failedForMs: null, succeeded: false, answers: 'none' } as const;
type Requests = Partial<Pick<ClaimForPushArgs, keyof typeof NO_REQUESTS>>;
const SUCCEEDED: Requests = { succeeded: true, answers: 'other' };
const failedFor = (failedForMs: number, lastError = '500'): Requests => ({
  lastError,
  failedForMs,
  answers: 'other',
});
const delivered = (id: string, lane = 'c:5'): Settled[] => [{ lane, id, outcome: 'delivered' }];
const retried = (dueInMs: number, json = '{}'): Settled[] => [
  { lane: 'c:5', id: '1', outcome: 'retry', dueInMs, json },
];
const claim = ({ kinds = DEFAULT_KINDS, ofTaken = '', revision = 1e9, ...options }: Claim, requests: Requests = {}) => {
  const { lanes, inFlight, work, redriven, attempts, deliveredAhead, state: program } = own;
  return scripts.claimForProgram(
    scene.commands,
    { ...scene.keys, lanes, inFlight, work, redriven, attempts, deliveredAhead, program },
    {
      ...scene.claimArguments('push', options),
      ...NO_REQUESTS,
      ...requests,
      lanePrefix: own.lane(''),
      kinds,
      takenKinds: ofTaken,
      revision,
    },
  );
};
const idsIn = (reply: Awaited<ReturnType<typeof claim>>) => okOf(reply).units.map(({ updates }) => updates[0]?.inLane);
const claimed = async (...given: Parameters<typeof claim>) => okOf(await claim(...given));
const consumer = () => scene.commands.hget(scene.keys.consumers, `program:${ID}`);
const woken = async (...accepted: Parameters<LuaScene['accept']>) => okOf(await scene.accept(...accepted)).wakePrograms;

test('an update wakes a program once, and none that pulls or is paused', async () => {
  await scene.applyBot({ programs: [5, 6, 7], pushing: ' 5:1:ab 6:0:cd' });
  await scene.commands.zrem(scene.keys.pendingTurns, MEMBER);
  expect(await woken([1])).toEqual([5]);
  expect(await woken([2])).toEqual([]);
  expect(await scene.commands.zcard(scene.keys.pendingTurns)).toBe(1);
});

test('a turn that does not know the newest configuration passes over nothing', async () => {
  await scene.applyBot({ ...pushing, push: true, revision: 3 });
  await scene.accept([1], 'c:5', 'poll');
  await scene.accept([2]);
  const stale = await claimed({ name: 'a1', kinds: ',message,', revision: 2 });
  expect(idsIn(stale)).toEqual([]);
  expect(stale).toMatchObject({ isStale: true, moreToDo: true });
  const next = await claim({ name: 'a2', token: stale.fencingToken, kinds: ',message,poll,', revision: 3 });
  expect(idsIn(next)).toEqual(['1']);
});

test('a program has lanes and a cursor of its own, and passes over the kinds that it does not want', async () => {
  await scene.applyBot({ ...pushing, push: true });
  await scene.accept([1, 2]);
  await scene.accept([3], 'c:6', 'poll');
  const first = await claim({ name: 'a1', kinds: ',message,' });
  expect(idsIn(first)).toEqual(['1']);
  expect(await scene.commands.hget(scene.keys.state, 'pushCursor')).toBe('0');
  const second = { token: 1, name: 'a2', settled: delivered('1'), kinds: ',message,' };
  expect(idsIn(await claim(second, SUCCEEDED))).toEqual(['2']);
  await claim({ token: 1, name: 'a3', settled: delivered('2'), end: 'idle', kinds: ',message,' }, SUCCEEDED);
  expect(await consumer()).toEqual(storedAt(3));
  expect(await scene.commands.zscore(scene.keys.pendingTurns, MEMBER)).toBeNull();
});

test('what waits in its lanes is kept in the log, though the bot itself has read it', async () => {
  await scene.applyBot(pushing);
  await scene.accept([1]);
  await scene.accept([2, 3], 'c:6');
  await claim({ name: 'a1' });
  await claim({ token: 1, name: 'a2', settled: delivered('1') }, SUCCEEDED);
  expect(await consumer()).toEqual(storedAt(1));
  expect((await scene.commands.xrange(scene.keys.log, '-', '+')).map(([id]) => id)).toEqual(['2-0', '3-0']);
});

test('its breaker is its own; while it is open its turn stays pending, and an update wakes nothing', async () => {
  await scene.applyBot({ ...pushing, push: true });
  await scene.accept([1]);
  await claim({ name: 'a1' });
  const opened = await claim({ token: 1, name: 'a2', settled: retried(0) }, failedFor(10_000));
  expect(opened).toMatchObject({ lookInMs: 2000, ended: false, opened: true, waiting: 1 });
  expect(await scene.commands.hexists(scene.keys.state, 'openUntil')).toBe(0);
  expect(await claim({ token: 1, name: 'a3', end: 'asleep' })).toMatchObject({ ended: true });
  expect(await scene.commands.zscore(scene.keys.pendingTurns, MEMBER)).toEqual(writtenNow(2000));
  expect(await woken([2])).toEqual([]);
});

test('while its breaker is open it looks into the log at the next probe, though what failed is due far later', async () => {
  await scene.applyBot(pushing);
  await scene.accept([1]);
  await claim({ name: 'a1' });
  const settled = retried(3_600_000);
  const opened = await claim({ token: 1, name: 'a2', settled, end: 'asleep' }, failedFor(10_000, '503'));
  expect(opened).toMatchObject({ lookInMs: 2000, ended: true });
  await scene.passMs(2000);
  const later = await claimed({ token: 1, name: 'a3', end: 'asleep' });
  expect(later).toMatchObject({ ended: true });
  expect(later.lookInMs).toBeGreaterThan(60_000);
  expect(await woken([2], 'c:6')).toEqual([5]);
});

test('a change of the bot leaves a sleeping turn to be woken by updates', async () => {
  await scene.applyBot({ programs: [5, 6], pushing: ' 5:1:ab 6:0:cd' });
  await scene.accept([1]);
  await claim({ name: 'a1' });
  await claim({ token: 1, name: 'a2', settled: retried(60_000), end: 'asleep' }, failedFor(0));
  await scene.applyBot({ programs: [5, 6], pushing: ' 5:1:ab 6:1:cd', revision: 2 });
  expect(await scene.commands.zrange(scene.keys.pendingTurns, '0', '-1')).toEqual([`${BOT}:program:6`]);
  expect(await woken([2], 'c:6')).toEqual([5]);
});

test('a paused program gets nothing more, also from a turn that runs, and has no pending turn', async () => {
  await scene.applyBot(pushing);
  await scene.accept([1, 2]);
  expect(idsIn(await claim({ name: 'a1' }))).toEqual(['1']);
  await scene.applyBot({ programs: [ID], pushing: ` ${ID}:0:ab`, revision: 2 });
  expect(await scene.commands.zscore(scene.keys.pendingTurns, MEMBER)).toBeNull();
  expect(idsIn(await claim({ token: 1, name: 'a2', settled: delivered('1') }, SUCCEEDED))).toEqual([]);
  await scene.applyBot({ ...pushing, revision: 3 });
  expect(await scene.commands.zscore(scene.keys.pendingTurns, MEMBER)).toEqual(writtenNow());
  expect(idsIn(await claim({ token: 1, name: 'a3' }))).toEqual(['2']);
});

test('a program that pulls from now on gets what waits in its lanes, without what was delivered; and back', async () => {
  await scene.applyBot(pushing);
  await scene.accept([1]);
  await scene.accept([2, 3], 'c:6');
  await claim({ name: 'a1' });
  await claim({ token: 1, name: 'a2', settled: delivered('2', 'c:6') }, SUCCEEDED);
  await scene.applyBot({ programs: [ID], revision: 2 });
  expect(await consumer()).toEqual(storedAt(0));
  expect(await scene.commands.smembers(own.deliveredAhead)).toEqual(['2']);
  expect(await scene.commands.exists(own.lanes, own.work, own.lane('c:5'), own.lane('c:6'))).toBe(0);
  expect(await claim({ token: 1, name: 'a3' })).toEqual({ outcome: 'FENCED' });
  await scene.applyBot({ ...pushing, revision: 3 });
  expect(idsIn(await claim({ name: 'b1' })).sort()).toEqual(['1', '3']);
});

test('of a deleted program nothing is left', async () => {
  await scene.applyBot(pushing);
  await scene.accept([1]);
  await claim({ name: 'a1' });
  await scene.applyBot({ revision: 2 });
  expect(await scene.commands.keys('*:program:*')).toEqual([]);
  expect(await scene.commands.zscore(scene.keys.pendingTurns, MEMBER)).toBeNull();
});

test('another backend is tried at once with what waits', async () => {
  await scene.applyBot(pushing);
  await scene.accept([1]);
  await claim({ name: 'a1' });
  await claim({ token: 1, name: 'a2', settled: retried(60_000) }, failedFor(10_000));
  expect(idsIn(await claim({ token: 1, name: 'a3' }))).toEqual([]);
  await scene.applyBot({ programs: [ID], pushing: ` ${ID}:1:cd`, revision: 2 });
  expect(idsIn(await claim({ token: 1, name: 'a4' }))).toEqual(['1']);
});

test('what waits is dropped in one step, for a program that pushes, pushes from now on or no longer does', async () => {
  const changes = [
    { from: pushing, to: pushing },
    { from: { programs: [ID] }, to: pushing },
    { from: pushing, to: { programs: [ID] } },
    { from: { programs: [ID] }, to: { programs: [ID] } },
  ];
  for (const { from, to } of changes) {
    await scene.clear();
    await scene.applyBot({ ...from, pull: true });
    await scene.accept([1, 2]);
    await scene.accept([3], 'c:6');
    if (from === pushing) expect(idsIn(await claim({ name: 'a1', limit: 1 }))).toEqual(['1']);
    await scene.applyBot({ ...to, pull: true, revision: 2, dropPendingOf: ID });
    expect(await consumer()).toEqual(storedAt(3));
    expect(await scene.commands.exists(own.lanes, own.work, own.inFlight, own.deliveredAhead, own.lane('c:5'))).toBe(0);
    // The turn that ran gets nothing more.
    if (from === pushing && to === pushing)
      expect(await claim({ token: 1, name: 'a2' })).toEqual({ outcome: 'FENCED' });
    await scene.accept([4]);
    if (to === pushing) expect(idsIn(await claim({ name: 'b1' }))).toEqual(['4']);
  }
});

test('nobody else loses what waits', async () => {
  await scene.applyBot({ programs: [5, 6], pull: true });
  await scene.accept([1]);
  await scene.applyBot({ programs: [5, 6], pull: true, revision: 2, dropPendingOf: 6 });
  expect(await scene.commands.hgetall(scene.keys.consumers)).toEqual({
    'program:5': storedAt(0),
    'program:6': storedAt(1),
  });
  expect(await scene.commands.xlen(scene.keys.log)).toBe(1);
});

const check = () =>
  scripts.checkPrograms(scene.commands, scene.keys, {
    registrationId: REGISTRATION,
    botId: BOT,
    programPrefix: scene.keys.programPrefix,
    limit: 100,
    limitMs: DAY_MS,
    tightLimit: null,
    tightForMs: 0,
  });
const found = (...wakePrograms: number[]) => ({ outcome: 'OK', newestId: 1, wakePrograms, behind: [] });

test('an update that did not wake it is found by upkeep', async () => {
  await scene.applyBot(pushing);
  await claim({ name: 'a1', end: 'idle' });
  await scene.commands.hset(scene.keys.state, 'wokenPrograms', '');
  await scene.accept([1]);
  await scene.commands.hset(scene.keys.state, 'wokenPrograms', String(ID));
  expect(await check()).toEqual(found(ID));
  expect(await check()).toEqual(found());
});

test('what waits for a retry when another backend is set is found by upkeep, though the wake is lost', async () => {
  await scene.applyBot(pushing);
  await scene.accept([1]);
  await claim({ name: 'a1' });
  await claim({ token: 1, name: 'a2', settled: retried(60_000), end: 'asleep' }, failedFor(10_000));
  expect(await check()).toEqual(found());
  await scene.applyBot({ programs: [ID], pushing: ` ${ID}:1:cd`, revision: 2 });
  expect(await check()).toEqual(found(ID));
  expect(await scene.commands.hmget(own.state, 'openUntil', 'failingSince')).toEqual([null, null]);
});

test('it gets what it took whatever kinds it wants, and neither what another took nor what its filter leaves out', async () => {
  await scene.applyBot({ ...pushing, filters: 'b' });
  const marks = [`=${ID}`, '=99', `,${ID},`, ''];
  await scene.commands.hset(scene.keys.consumers, 'program:99', `0 ${NOW_MS}`);
  for (const [at, mark] of marks.entries()) {
    await scene.accept([at + 1], `c:${at}`, at === 0 ? 'poll' : 'message', { filters: 'b', marks: [mark] });
  }
  expect(idsIn(await claim({ name: 'a1', kinds: ',message,' })).sort()).toEqual(['1', '4']);
});

test('what it took goes only to a webhook that asks for its kind', async () => {
  await scene.applyBot({ ...pushing, filters: 'b' });
  for (const [at, kind] of ['poll', 'message'].entries()) {
    await scene.accept([at + 1], `c:${at}`, kind, { filters: 'b', marks: [`=${ID}`] });
  }
  expect(idsIn(await claim({ name: 'a1', kinds: ',poll,', ofTaken: ',message,' }))).toEqual(['2']);
  await claim({ token: 1, name: 'a2', settled: delivered('2', 'c:1'), end: 'idle' }, SUCCEEDED);
  expect(await consumer()).toEqual(storedAt(2));
});

test('what it took and did not deliver becomes dead letters when it is deleted', async () => {
  await scene.applyBot({ ...pushing, filters: 'b' });
  const accept = (id: number, lane: string) => scene.accept([id], lane, 'message', { filters: 'b', marks: [`=${ID}`] });
  await accept(1, 'c:5');
  await accept(2, 'c:6');
  await claim({ name: 'a1' });
  await claim({ token: 1, name: 'a2', settled: delivered('2', 'c:6') }, SUCCEEDED);
  await accept(3, 'c:6');
  await scene.applyBot({ revision: 2 });
  const letters = await scene.commands.xrange(scene.keys.history, '-', '+');
  expect(letters.map(([, fields]) => [fields[1], fields[fields.indexOf('i') + 1]])).toEqual([
    ['dead', '1'],
    ['dead', '3'],
  ]);
});

test('a claim makes 200 dead letters at most, and says that there is more to do', async () => {
  await scene.applyBot(pushing);
  await scene.accept(Array.from({ length: 250 }, (_, at) => at + 1));
  for (const name of ['a1', 'a2']) await claim({ name, limit: 0 });
  await scene.passMs(DAY_MS);
  const first = await claim({ token: 2, name: 'b1' });
  expect(first).toMatchObject({ lookInMs: 0, moreToDo: true, waiting: 50 });
  expect(await scene.deadLetters()).toBe(200);
  expect(await claim({ token: 2, name: 'b2' })).toMatchObject({ moreToDo: false, waiting: 0 });
  expect(await scene.deadLetters()).toBe(250);
});
