import {
  BOT,
  DAY_MS,
  type LuaScene,
  luaScene,
  NOW_MS,
  okOf,
  REGISTRATION,
  writtenNow,
} from '@flotilla/testing/lua-scene.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('an update is kept once, under its id, for every reader that is on', async () => {
  await scene.applyBot({ push: true, rules: true, manage: true });
  expect(await scene.accept([5, 6, 5])).toEqual({
    outcome: 'OK',
    appended: 2,
    duplicates: 1,
    lastId: 6,
    wakePush: true,
    wakeHistory: true,
    wakeRules: true,
    wakePrograms: [],
    reserveIds: true,
  });
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

test('of a batch for which the ids do not suffice nothing is kept, and it is no duplicate later', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1]);
  await scene.commands.hset(scene.keys.state, 'lastId', 2_147_483_646);
  const before = await scene.commands.hgetall(scene.keys.state);
  for (let tries = 0; tries < 2; tries += 1) await expect(scene.accept([5, 6])).rejects.toThrow('are used up');
  expect(await scene.commands.xlen(scene.keys.log)).toBe(1);
  expect(await scene.commands.hgetall(scene.keys.state)).toEqual(before);
});

test('nothing is kept of a bot that is gone, and readers that are off start at the end', async () => {
  expect(await scene.accept([1])).toEqual({ outcome: 'GONE' });
  await scene.applyBot({ push: true });
  await scene.accept([1]);
  const fields = ['lastId', 'allowedCount', 'pullCursor', 'pullCursorCount', 'pushCursor'];
  expect(await scene.commands.hmget(scene.keys.state, ...fields)).toEqual(['1', '1', '1', '1', '0']);
});

test('an append wakes no push while the breaker is open', async () => {
  await scene.applyBot({ push: true });
  await scene.commands.hset(scene.keys.state, 'openUntil', NOW_MS + DAY_MS);
  expect(okOf(await scene.accept([1])).wakePush).toBe(false);
  expect(await scene.commands.exists(scene.keys.pendingTurns)).toBe(0);
});

test('a bot that only programs read is full when the quickest of them is behind by the limit', async () => {
  await scene.applyBot({ programs: [5, 6] });
  const accept = (id: number) => scene.accept([id], 'c:5', 'message', { quickest: 2 });
  const outcomes = [await accept(1), await accept(2), await accept(3)].map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['OK', 'OK', 'FULL']);
  await scene.commands.hset(scene.keys.consumers, 'program:6', `2 ${NOW_MS}`);
  expect((await accept(3)).outcome).toBe('OK');
});

test('when memory is tight, the slowest program counts like any slow reader', async () => {
  await scene.applyBot({ pull: true, programs: [5] });
  await scene.accept([1, 2]);
  await scene.commands.hset(scene.keys.state, { pullCursor: 2, pullCursorCount: 2 });
  expect(await scene.accept([3], 'c:5', 'message', { slowest: 2 })).toEqual({ outcome: 'FULL' });
  await scene.commands.hset(scene.keys.consumers, 'program:5', `2 ${NOW_MS}`);
  expect((await scene.accept([3], 'c:5', 'message', { slowest: 2 })).outcome).toBe('OK');
});

const mark = (entry: [string, string[]] | undefined) => entry?.[1].slice(12);

test('nothing is accepted by other filters than those in force, which the caller then gets', async () => {
  const inForce = { outcome: 'FILTERS', digest: 'b', filters: 'text of b' };
  await scene.applyBot({ programs: [5], filters: 'b' });
  expect(await scene.accept([1])).toEqual(inForce);
  expect(await scene.accept([1], 'c:5', 'message', { filters: 'a', marks: ['=5'] })).toEqual(inForce);
  expect((await scene.accept([1], 'c:5', 'message', { filters: 'b', marks: ['=5'] })).outcome).toBe('OK');
  await scene.applyBot({ programs: [5], revision: 2 });
  expect(await scene.accept([2], 'c:5', 'message', { filters: 'b', marks: ['=5'] })).toEqual({
    outcome: 'FILTERS',
    digest: '',
    filters: '',
  });
  expect(await scene.commands.hmget(scene.keys.state, 'lastId', 'filters', 'filtersDigest')).toEqual(['1', null, null]);
});

test('an entry says who gets it, and counts as waiting for the default readers though they leave out what is taken', async () => {
  await scene.applyBot({ push: true, programs: [5, 6], filters: 'b' });
  const marks = ['=5', ',5,6,', '', '=7'];
  const accepted = await scene.accept([1, 2, 3, 4], 'c:5', 'message', { filters: 'b', marks });
  expect(accepted).toMatchObject({ outcome: 'OK', appended: 4 });
  const log = await scene.commands.xrange(scene.keys.log, '-', '+');
  expect(log.map(mark)).toEqual([
    ['m', '1', 'tp', '', 'o', '=5'],
    ['m', '0', 'tp', '', 'o', ',5,6,'],
    ['m', '0'],
    ['m', '0'],
  ]);
  expect(await scene.commands.hget(scene.keys.state, 'allowedCount')).toBe('4');
});

test('what a program takes wakes no push', async () => {
  await scene.applyBot({ push: true, programs: [5], filters: 'b' });
  const wakes = async (id: number, mark: string) =>
    okOf(await scene.accept([id], 'c:5', 'message', { filters: 'b', marks: [mark] })).wakePush;
  expect([await wakes(1, '=5'), await wakes(2, ',5,')]).toEqual([false, true]);
});

test('of the programs that push, an update wakes those that get it', async () => {
  await scene.applyBot({ programs: [5, 6, 7], pushing: ' 5:1:ab 6:1:cd 7:1:ef', filters: 'b' });
  const woken = async (...marks: string[]) => {
    await scene.commands.del(scene.keys.pendingTurns);
    const ids = marks.map(() => (lastId += 1));
    return okOf(await scene.accept(ids, 'c:5', 'message', { filters: 'b', marks })).wakePrograms;
  };
  let lastId = 0;
  expect(await woken('=5', '=5')).toEqual([5]);
  expect(await woken(',5,7,')).toEqual([6]);
  expect(await woken(',5,6,7,')).toEqual([]);
  expect(await woken('=5', ',5,6,')).toEqual([5, 7]);
  expect(await woken('')).toEqual([5, 6, 7]);
});

test('the later messages of an album follow its first, among the newest albums', async () => {
  await scene.applyBot({ programs: [5, 6], filters: 'b' });
  const accept = (id: number, ...marks: string[]) =>
    scene.accept(
      marks.map((_, at) => id + at),
      'c:5',
      'message',
      { filters: 'b', marks },
    );
  await accept(1, '=5 9-1', ' 8', ',5, 8');
  await accept(4, ',5, 9-1', '=6 8', '=6 19-1', '=5 9');
  const log = await scene.commands.xrange(scene.keys.log, '-', '+');
  const who = log.map((entry) => entry[1][17] ?? '');
  expect(who).toEqual(['=5', '', '', '=5', '', '=6', '=5']);
  for (let id = 10; id < 400; id += 1) await accept(id, `=6 album-${id}`);
  expect(await scene.commands.hstrlen(scene.keys.state, 'albums')).toBeLessThanOrEqual(4096);
  await accept(400, '=5 album-399', '=5 album-10');
  const newest = await scene.commands.xrevrange(scene.keys.log, '+', '-', 'COUNT', 2);
  expect(newest.map((entry) => entry[1][17])).toEqual(['=5', '=6']);
});

test('the history, the live stream and the rules see what a program takes', async () => {
  await scene.applyBot({ manage: true, rules: true, programs: [5], filters: 'b' });
  await scene.commands.hset(scene.keys.state, 'watchedUntil', NOW_MS + DAY_MS);
  await scene.commands.xadd(scene.keys.live, '*', 't', 'begin');
  const accepted = await scene.accept([1], 'c:5', 'message', { filters: 'b', marks: ['=5'] });
  expect(accepted).toMatchObject({ wakeHistory: true, wakeRules: true });
  expect(await scene.commands.hget(scene.keys.state, 'rulesUnread')).toBe('1');
  expect([await scene.commands.xlen(scene.keys.history), await scene.commands.xlen(scene.keys.live)]).toEqual([1, 2]);
});

test('push is woken to pass what programs take, long before that would stop intake', async () => {
  await scene.applyBot({ push: true, programs: [5], filters: 'b' });
  const accept = (from: number, count: number) => {
    const ids = Array.from({ length: count }, (_, at) => from + at);
    return scene.accept(ids, 'c:5', 'message', { filters: 'b', marks: ids.map(() => '=5') });
  };
  expect(await accept(1, 499)).toMatchObject({ wakePush: false });
  expect(await accept(500, 1)).toMatchObject({ wakePush: true });
  expect(await scene.commands.zscore(scene.keys.pendingTurns, `${BOT}:push`)).toEqual(writtenNow());
});

test('what a parked program takes becomes a dead letter at once, and nobody else gets it', async () => {
  await scene.applyBot({ push: true, programs: [5], filters: 'b' });
  await scene.commands.hset(scene.keys.consumers, 'program:5', '0 0');
  const accepted = await scene.accept([1, 2], 'c:5', 'message', { filters: 'b', marks: ['=5', ''] });
  expect(accepted).toMatchObject({ appended: 2, duplicates: 0, wakePush: true, wakeHistory: true });
  const letters = await scene.commands.xrange(scene.keys.history, '-', '+');
  expect(letters).toHaveLength(1);
  expect(letters[0]?.[1]).toEqual(
    expect.arrayContaining(['dead', '1', '{"update_id":1}', 'push', 'too_far_behind', REGISTRATION]),
  );
  const log = await scene.commands.xrange(scene.keys.log, '-', '+');
  expect(log.map((entry) => entry[1][17] ?? '')).toEqual(['=0', '']);
});

/** Accepts what a poll brought, in the order given; the platform's ids 0 to 99 are in the first bitmap. */
function acceptPolled(ids: number[], pollOffset: number) {
  const { keys, activity, commands } = scene;
  const updates = ids.map((id) => {
    const raw = `{"update_id":${id}}`;
    const place = { bitmap: id < 100 ? 1 : 2, bit: id % 100, lane: 'c:5', idStart: 14, idEnd: raw.length - 1 };
    return { platformId: id, kind: 'message', keepMs: DAY_MS, expiresAtMs: null, passesHold: false, raw, ...place };
  });
  return scripts.acceptUpdates(
    commands,
    { ...keys, seen: [keys.seen(0), keys.seen(1)] },
    {
      registrationId: REGISTRATION,
      ...activity,
      botId: BOT,
      moves: 0,
      fencingToken: 7,
      pollOffset,
      quickestLimit: 100_000,
      slowestLimit: null,
      traceparent: '',
      reservedId: 0,
      runIds: '',
      filtersDigest: '',
      marksJson: '',
      updates,
    },
  );
}

test('a poll stores its next offset and its time, also when it brought nothing new', async () => {
  await scene.applyBot({ push: true });
  await scene.commands.hset(scene.keys.state, 'pollingFencingToken', 7);
  const stored = () => scene.commands.hmget(scene.keys.state, 'pollOffset', 'pollOkAt', 'lastId');
  expect(await acceptPolled([5], 6)).toMatchObject({ appended: 1, duplicates: 0 });
  expect(await stored()).toEqual(['6', writtenNow(), '5']);
  await scene.passMs(DAY_MS);
  expect(await acceptPolled([5], 7)).toMatchObject({ appended: 0, duplicates: 1 });
  expect(await stored()).toEqual(['7', writtenNow(), '5']);
});

test('every bitmap of ids that were seen is kept for 25 h', async () => {
  await scene.applyBot({ push: true });
  await scene.commands.hset(scene.keys.state, 'pollingFencingToken', 7);
  await acceptPolled([98, 99, 100, 101], 102);
  for (const block of [0, 1]) expect(await scene.commands.ttl(scene.keys.seen(block))).toBeGreaterThan(86_400);
});

test('the bitmap that ids go to is kept longer every half hour, and at once when another one was kept before', async () => {
  await scene.applyBot({ push: true });
  const { commands, keys } = scene;
  const kept = async (id: number, afterMinutes: number, block = 0) => {
    for (const one of [0, 1]) await commands.expire(keys.seen(one), 100);
    await scene.passMs(afterMinutes * 60_000);
    await scene.accept([id], 'c:5', 'message', { block });
    return (await commands.ttl(keys.seen(block))) > 86_400;
  };
  expect([await kept(1, 0), await kept(2, 20), await kept(3, 10), await kept(4, 20)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([await kept(5, 0, 1), await kept(6, 0), await kept(7, 1)]).toEqual([true, true, false]);
});

describe('an append is announced to polls', () => {
  const announcedBy = async (append: () => Promise<unknown>): Promise<string[]> => {
    const announced: string[] = [];
    const subscription = await scene.subscribe('flotilla:appended', (payload) => announced.push(payload));
    await append();
    await scene.commands.publish('flotilla:appended', 'the end');
    await waitFor(() => announced.at(-1) === 'the end');
    subscription.close();
    return announced.slice(0, -1);
  };

  test('by the id of its bot, once, and not when it brought nothing new', async () => {
    await scene.applyBot({ pull: true });
    expect(await announcedBy(() => scene.accept([7, 9]))).toEqual([String(BOT)]);
    expect(await announcedBy(() => scene.accept([9]))).toEqual([]);
  });

  test('also to the named consumers of a bot that nobody polls', async () => {
    await scene.applyBot({ push: true });
    expect(await announcedBy(() => scene.accept([1]))).toEqual([]);
    await scene.commands.hset(scene.keys.consumers, 'another', `0 ${NOW_MS}`);
    expect(await announcedBy(() => scene.accept([2]))).toEqual([String(BOT)]);
  });
});

test('a pending turn that is a minute old may have lost its wake, and is woken again', async () => {
  await scene.applyBot({ push: true });
  const wakes = async (id: number) => okOf(await scene.accept([id])).wakePush;
  expect([await wakes(1), await wakes(2)]).toEqual([true, false]);
  await scene.passMs(60_001);
  expect([await wakes(3), await wakes(4)]).toEqual([true, false]);
});

test('an update is kept for its time from its event or from now, and for an hour if its event was long ago', async () => {
  await scene.applyBot({ push: true });
  const { keys, activity, commands } = scene;
  const expiryOf = async (id: number, keepMs: number, expiresAtMs: number | null) => {
    const raw = `{"update_id":${id}}`;
    const times = { keepMs, expiresAtMs, passesHold: false };
    const update = { platformId: id, bitmap: 1, bit: id, kind: 'message', lane: 'c:5', idStart: 14, idEnd: 14, raw };
    await scripts.acceptUpdates(
      commands,
      { ...keys, seen: [keys.seen(0)] },
      {
        ...{
          registrationId: REGISTRATION,
          botId: BOT,
          moves: 0,
          fencingToken: null,
          pollOffset: null,
          quickestLimit: 100,
        },
        ...{ slowestLimit: null, traceparent: '', reservedId: 0, runIds: '', filtersDigest: '', marksJson: '' },
        ...activity,
        updates: [{ ...update, ...times }],
      },
    );
    const [[, fields] = ['', []]] = await commands.xrevrange(keys.log, '+', '-', 'COUNT', 1);
    return fields[fields.indexOf('x') + 1];
  };
  const aMinuteAgoMs = NOW_MS + DAY_MS - 60_000;
  expect(await expiryOf(1, DAY_MS, aMinuteAgoMs)).toBe(String(aMinuteAgoMs));
  expect(await expiryOf(2, DAY_MS, NOW_MS + 3 * DAY_MS)).toEqual(writtenNow(DAY_MS));
  expect(await expiryOf(3, DAY_MS, NOW_MS - 2 * DAY_MS)).toEqual(writtenNow(3_600_000));
  expect(await expiryOf(4, 30_000, null)).toEqual(writtenNow(30_000));
});

test('the poller passes at once what a program took alone, unless something else waits for the poller', async () => {
  await scene.applyBot({ pull: true, programs: [5], filters: 'b' });
  const accept = (id: number, mark: string) => scene.accept([id], 'c:5', 'message', { filters: 'b', marks: [mark] });
  const waiting = async () => {
    const [count, cursor] = await scene.commands.hmget(scene.keys.state, 'allowedCount', 'pullCursorCount');
    return Number(count) - Number(cursor);
  };
  await accept(1, '=5');
  expect([await waiting(), await scene.commands.hget(scene.keys.state, 'pullCursor')]).toEqual([0, '1']);
  await accept(2, '');
  await accept(3, '=5');
  expect([await waiting(), await scene.commands.hget(scene.keys.state, 'pullCursor')]).toEqual([2, '1']);
});
