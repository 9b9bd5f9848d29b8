import { type LuaScene, luaScene, NOW_MS, writtenNow } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const left = async () => (await scene.commands.xrange(scene.keys.log, '-', '+')).map(([id]) => Number.parseInt(id, 10));
const trim = (atMs = NOW_MS) =>
  scene.evaluate(
    'trim',
    'trimLog(state, log, consumers, nowMs)',
    { state: scene.keys.state, log: scene.keys.log, consumers: scene.keys.consumers },
    { nowMs: atMs },
  );

test('keeps what push has not delivered', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1, 2, 3]);
  await scene.commands.hset(scene.keys.state, 'pushFloor', 1);
  await trim();
  expect(await left()).toEqual([2, 3]);
});

test('keeps what a named consumer that polls has not acknowledged, and forgets it after a day', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2, 3]);
  await scene.commands.hset(scene.keys.state, { pullCursor: 3, keptFrom: 3 });
  await scene.commands.hset(scene.keys.consumers, 'audit', `2 ${NOW_MS}`);
  await trim();
  expect(await left()).toEqual([3]);
  await trim(NOW_MS + 86_400_001);
  expect([await left(), await scene.commands.exists(scene.keys.consumers)]).toEqual([[], 0]);
});

test('keeps for a program what it has not acknowledged until it is parked, and never forgets its cursor', async () => {
  await scene.applyBot({ programs: [5] });
  await scene.accept([1, 2, 3]);
  await scene.commands.hset(scene.keys.consumers, 'program:5', `1 ${NOW_MS}`);
  await trim(NOW_MS + 7 * 86_400_000);
  expect(await left()).toEqual([2, 3]);
  await scene.commands.hset(scene.keys.consumers, 'program:5', '1 0');
  await trim(NOW_MS + 7 * 86_400_000);
  expect(await left()).toEqual([]);
  expect(await scene.commands.hget(scene.keys.consumers, 'program:5')).toBe('1 0');
});

describe('what has expired', () => {
  const DAY_MS = 86_400_000;
  /** Appends without a script: an update of each id, with its kind and when it expires. */
  const append = async (ids: number[], { expiresAtMs = NOW_MS + 30_000, isAllowed = true, bytes = 10 } = {}) => {
    const { log, state } = scene.keys;
    const before = Number(await scene.commands.hget(state, 'allowedCount'));
    for (const [at, id] of ids.entries()) {
      const count = isAllowed ? before + at + 1 : before;
      const text = ['u', 'x'.repeat(bytes), 'k', 'message', 'l', 'c:5', 't', NOW_MS, 'x', expiresAtMs] as const;
      await scene.commands.xadd(log, `${id}-0`, ...text, 'n', count, 'm', isAllowed ? '0' : '1');
    }
    const count = isAllowed ? before + ids.length : before;
    await scene.commands.hset(state, { lastId: ids.at(-1)!, allowedCount: count });
  };
  const state = (...fields: string[]) => scene.commands.hmget(scene.keys.state, ...fields);
  const idsFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);

  test('does not stay in the log of a bot that nobody polls, and does not wait', async () => {
    await scene.applyBot({ pull: true });
    for (let day = 0; day < 3; day += 1) {
      const atMs = NOW_MS + day * DAY_MS;
      await append(idsFrom(day * 10 + 1, 10), { expiresAtMs: atMs + 30_000 });
      await trim(atMs + 29_999);
      expect(await state('allowedCount', 'pullCursorCount')).toEqual([String(day * 10 + 10), String(day * 10)]);
      await trim(atMs + 30_000);
      expect(await state('pullCursor', 'pullCursorCount')).toEqual([String(day * 10 + 10), String(day * 10 + 10)]);
    }
    // The update that was passed last stays as long as the one acknowledged last.
    expect(await left()).toEqual(idsFrom(21, 10));
  });

  test('stays behind a live update, and goes with it', async () => {
    await scene.applyBot({ pull: true });
    await append([1, 2]);
    await append([3], { expiresAtMs: NOW_MS + DAY_MS });
    await append([4, 5]);
    await trim(NOW_MS + DAY_MS - 1);
    expect(await state('pullCursor', 'pullCursorCount')).toEqual(['2', '2']);
    await trim(NOW_MS + DAY_MS);
    expect(await state('pullCursor', 'pullCursorCount')).toEqual(['5', '5']);
  });

  test('is also passed behind what the default consumer never gets', async () => {
    await scene.applyBot({ pull: true });
    await append([1], { expiresAtMs: NOW_MS + DAY_MS, isAllowed: false });
    await append([2]);
    await append([3], { expiresAtMs: NOW_MS + DAY_MS, isAllowed: false });
    await append([4], { expiresAtMs: NOW_MS + DAY_MS });
    await trim(NOW_MS + 30_000);
    expect(await state('pullCursor', 'pullCursorCount', 'allowedCount')).toEqual(['3', '1', '2']);
  });

  test('stays in the log for push, rules, a program and a named consumer', async () => {
    await scene.applyBot({ pull: true, push: true, rules: true, programs: [5] });
    await append([1, 2, 3, 4]);
    await scene.commands.hset(scene.keys.state, { keptFrom: 4, prevAck: 4 });
    const lateMs = NOW_MS + DAY_MS;
    const pinned = async (consumers: object, floors: object) => {
      await scene.commands.hset(scene.keys.consumers, { 'program:5': `4 ${lateMs}`, ...consumers });
      await scene.commands.hset(scene.keys.state, { rulesFloor: 4, pushFloor: 4, ...floors });
      await trim(lateMs);
      return await left();
    };
    expect(await pinned({}, { pushFloor: 0 })).toEqual([1, 2, 3, 4]);
    expect(await pinned({}, { rulesFloor: 1 })).toEqual([2, 3, 4]);
    expect(await pinned({ 'program:5': `2 ${lateMs}` }, {})).toEqual([3, 4]);
    expect(await pinned({ audit: `3 ${lateMs}` }, {})).toEqual([4]);
    expect(await state('pullCursor', 'pushCursor', 'rulesCursor')).toEqual(['4', '0', '0']);
  });

  test('is passed little by little, at every append until nothing more has expired', async () => {
    await scene.applyBot({ pull: true });
    await append(idsFrom(1, 500));
    const atMs = NOW_MS + 30_000;
    const found = [];
    for (let trims = 0; trims < 4; trims += 1) {
      await trim(atMs);
      found.push(await state('pullCursorCount', 'trimmedAt'));
    }
    expect(found).toEqual([
      ['201', writtenNow()],
      ['402', writtenNow()],
      ['500', String(atMs)],
      ['500', String(atMs)],
    ]);
  });

  test('is passed in fewer at a time if the updates are long', async () => {
    await scene.applyBot({ pull: true });
    await append(idsFrom(1, 60), { bytes: 100_000 });
    await trim(NOW_MS + 30_000);
    expect(await state('pullCursorCount')).toEqual(['26']);
  });
});
