import { programKeys } from '@flotilla/redis/keys.ts';
import { BOT, type LuaScene, luaScene, NOW_MS, okOf, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const MORE_LEFT = { outcome: 'OK', waits: false, more: true };
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
  expect(await state('parked', 'pushFencingToken', 'pushCursor')).toEqual([String(NOW_MS + 3_600_000), '1', '0']);
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
  expect(await scene.commands.zscore(scene.keys.pendingTurns, 'history')).toBe(String(NOW_MS));
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
  const DAY_MS = 86_400_000;
  const remove = () => scene.applyBot({ revision: 2, atMs: NOW_MS + DAY_MS });
  expect(await remove()).toEqual(MORE_LEFT);
  expect(await scene.commands.hlen(own.redriven)).toBe(51);
  while (okOf(await remove()).more);
  const letters = await scene.commands.xrange(scene.keys.history, '-', '+');
  const ids = letters.map(([, fields]) => Number(fields[fields.indexOf('i') + 1])).sort((one, other) => one - other);
  expect(ids).toEqual([2, ...Array.from({ length: 250 }, (_, at) => 1000 + at)]);
  expect(new Set(letters.map(([, fields]) => fields[fields.indexOf('d') + 1]))).toEqual(new Set(['push']));
  expect(await scene.commands.exists(own.redriven, own.state, own.lane('c:5'))).toBe(0);
});

test('a program that goes from push to pull keeps who took what was sent to it again', async () => {
  await scene.applyBot({ programs: [5], pushing: ' 5:1:ab' });
  await scene.commands.hset(programKeys(BOT, 5).redriven, 'r1', '{"id":7,"raw":"{}","exclusive":"1"}');
  await scene.applyBot({ programs: [5], revision: 2 });
  const [[, letter] = ['', []]] = await scene.commands.xrange(scene.keys.history, '-', '+');
  expect(letter.slice(letter.indexOf('exclusive'))).toEqual(['exclusive', '1']);
});

test('of what a deleted program took, a call buries 200, and the program is forgotten with the last of it', async () => {
  await scene.applyBot({ pull: true, programs: [5], filters: 'b' });
  const ids = Array.from({ length: 450 }, (_, at) => at + 1);
  await scene.accept(ids, 'c:5', 'message', { filters: 'b', marks: ids.map(() => '=5') });
  const remove = () => scene.applyBot({ pull: true, revision: 2 });
  const letters = () => scene.commands.xlen(scene.keys.history);
  const cursor = () => scene.commands.hget(scene.keys.consumers, 'program:5');
  expect([await remove(), await letters(), await cursor()]).toEqual([MORE_LEFT, 200, `200 ${NOW_MS}`]);
  expect([await remove(), await letters(), await cursor()]).toEqual([MORE_LEFT, 400, `400 ${NOW_MS}`]);
  expect([await remove(), await letters(), await cursor()]).toEqual([{ ...MORE_LEFT, more: false }, 450, null]);
});
