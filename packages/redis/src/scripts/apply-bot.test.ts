import { programKeys } from '@flotilla/redis/keys.ts';
import { BOT, type LuaScene, luaScene, REGISTRATION, writtenNow } from '@flotilla/testing/lua-scene.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const state = (...fields: string[]) => scene.commands.hmget(scene.keys.state, ...fields);

test('a state is made once, and an older configuration or another registration changes nothing', async () => {
  expect(await scene.applyBot({ push: true, revision: 2 })).toEqual({ outcome: 'OK', waits: false, more: false });
  expect(await scene.applyBot({ pull: true, revision: 1 })).toEqual({ outcome: 'OLD' });
  await scene.commands.hset(scene.keys.state, 'registrationId', 'another');
  expect(await scene.applyBot({ pull: true, revision: 3 })).toEqual({ outcome: 'GONE' });
  expect(await state('push', 'pull', 'revision')).toEqual(['1', '0', '2']);
});

test('a switched-off push parks its cursor and fences its turn; pull instead of it goes on where it stopped', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1, 2]);
  await scene.applyBot({ revision: 2 });
  expect(await state('pushKeptUntil', 'pushFencingToken', 'pushCursor')).toEqual([writtenNow(3_600_000), '1', '0']);
  await scene.applyBot({ pull: true, revision: 3 });
  expect(await state('pullCursor', 'pullCursorCount', 'pushFencingToken')).toEqual(['0', '0', '2']);
});

test('push takes over the cursor of pull by a change that another one has overtaken', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2]);
  await scene.applyBot({ pull: true, push: true, revision: 3, changes: [{ revision: 2, handOver: true }] });
  expect(await state('pushCursor')).toEqual(['0']);
});

test('a change of cursors is done once', async () => {
  const changes = [{ revision: 2, handOver: true }];
  await scene.applyBot({ pull: true, changes: [] });
  await scene.accept([1, 2]);
  await scene.applyBot({ pull: true, push: true, revision: 2, changes });
  await scene.applyBot({ pull: true, revision: 3, changes });
  // Push is switched on by a change that hands nothing over.
  await scene.applyBot({ pull: true, push: true, revision: 4, changes });
  expect(await state('pushCursor')).toEqual(['2']);
});

test('a push that is switched on with updates that wait has a pending turn, and a fenced one leaves none behind', async () => {
  const pending = () => scene.commands.zscore(scene.keys.pendingTurns, `${BOT}:push`);
  await scene.applyBot({ push: true, pull: true });
  expect(await pending()).toBeNull();
  await scene.accept([1]);
  expect(await pending()).not.toBeNull();
  await scene.applyBot({ revision: 2 });
  expect(await pending()).toBeNull();
  await scene.accept([2]);
  await scene.applyBot({ push: true, revision: 3 });
  expect(await pending()).not.toBeNull();
  await scene.applyBot({ push: true, revision: 4, drop: true });
  expect(await pending()).toBeNull();
});

test('what was in flight when its backend was removed was not begun in vain', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1]);
  await scene.commands.rpush(scene.keys.lane('c:5'), '1');
  await scene.commands.zadd(scene.keys.lanes, 9e15, 'c:5');
  await scene.commands.hset(scene.keys.inFlight, 'c:5', 'a claim');
  await scene.commands.hset(scene.keys.work, 's:1', 2);
  await scene.applyBot({ revision: 2 });
  expect(await scene.commands.hget(scene.keys.work, 's:1')).toBe('1');
  expect(await scene.commands.zscore(scene.keys.lanes, 'c:5')).toBe('0');
});

test('polls hear of it when pull is switched, for they may have heard of updates that are no longer theirs', async () => {
  const heard: string[] = [];
  const subscription = await scene.subscribe('flotilla:appended', (payload) => heard.push(payload));
  await scene.applyBot({ pull: true });
  await scene.applyBot({ pull: true, manage: true, revision: 2 });
  await scene.applyBot({ push: true, revision: 3 });
  await scene.applyBot({ push: true, rules: true, revision: 4 });
  await scene.applyBot({ pull: true, revision: 5 });
  await scene.commands.publish('flotilla:appended', 'the end');
  await waitFor(() => heard.includes('the end'));
  subscription.close();
  expect(heard).toEqual([`${BOT}`, `${BOT}`, `${BOT}`, 'the end']);
});

test('rules that are switched off forget what waits, and what was redriven is a dead letter again', async () => {
  await scene.applyBot({ rules: true });
  await scene.commands.hset(scene.keys.rulesRedriven, 'r1', '{"id":7,"raw":"{}"}');
  await scene.applyBot({ revision: 2 });
  expect(await scene.commands.exists(scene.keys.rulesRedriven)).toBe(0);
  const [[, letter] = ['', []]] = await scene.commands.xrange(scene.keys.history, '-', '+');
  expect(letter).toEqual(expect.arrayContaining(['dead', '7', 'rules_removed', String(BOT), REGISTRATION]));
});

test('a program that goes from push to pull keeps who took what was sent to it again', async () => {
  await scene.applyBot({ programs: [5], pushing: ' 5:1:ab' });
  await scene.commands.hset(programKeys(BOT, 5).redriven, 'r1', '{"id":7,"raw":"{}","exclusive":"1"}');
  await scene.applyBot({ programs: [5], revision: 2 });
  const [[, letter] = ['', []]] = await scene.commands.xrange(scene.keys.history, '-', '+');
  expect(letter.slice(letter.indexOf('exclusive'))).toEqual(['exclusive', '1']);
});

test('remembers since when a known bot is polled for again: after it was off, or its long polling', async () => {
  const servedSince = () => scene.commands.hget(scene.keys.state, 'servedSince');
  await scene.applyBot({ pull: false });
  await scene.applyBot({ push: true, revision: 2 });
  expect(await servedSince()).toBeNull();
  await scene.applyBot({ pull: true, revision: 3 });
  expect(await servedSince()).toEqual(writtenNow());
  for (const [revision, on] of [true, false].entries()) {
    await scene.commands.hset(scene.keys.state, 'servedSince', 5);
    await scene.applyBot({ pull: true, revision: 4 + revision, on });
    expect(await servedSince()).toBe('5');
  }
  await scene.applyBot({ pull: true, revision: 6 });
  expect(await servedSince()).toEqual(writtenNow());
});
