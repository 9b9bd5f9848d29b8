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
} from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

/** The reply, with a list of the raw updates. */
const read = async (
  offset: number,
  {
    consumer = '',
    first = true,
    limit = 100,
    kinds = '',
    revision = 1,
    takenKinds = '',
    throttle = false,
    seesHeld = false,
  } = {},
) => {
  const program = consumer.startsWith('program:') ? programKeys(BOT, Number(consumer.slice(8))).state : null;
  const reply = await scripts.readPage(
    scene.commands,
    { ...scene.keys, program },
    {
      registrationId: REGISTRATION,
      ...scene.activity,
      consumer,
      owner: '',
      askedOffset: offset,
      limit,
      timeoutMs: 0,
      acknowledges: first,
      throttles: throttle,
      kinds,
      answerBytes: 0,
      backFrom: '+',
      backCounted: null,
      revision,
      takenKinds,
      seesHeld,
      polledBy: '',
    },
  );
  if (reply.outcome !== 'OK') return reply;
  const { joined, updates: count, ...others } = reply;
  const updates = joined.length === 0 ? [] : String(joined).split(',\n');
  expect(updates).toHaveLength(count);
  return { ...others, updates };
};
const page = async (...args: Parameters<typeof read>) => okOf(await read(...args));
const raws = async (...args: Parameters<typeof read>) => (await page(...args)).updates;

test('an offset acknowledges what is below it, and reading goes on above it', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2, 3]);
  expect(await raws(0, { limit: 2 })).toEqual(['{"update_id":1}', '{"update_id":2}']);
  expect(await raws(3)).toEqual(['{"update_id":3}']);
  expect(await scene.commands.hmget(scene.keys.state, 'pullCursor', 'pullCursorCount')).toEqual(['2', '2']);
});

test('a negative offset forgets all but the newest', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2, 3]);
  expect(await raws(-1)).toEqual(['{"update_id":3}']);
  expect(await scene.commands.hget(scene.keys.state, 'pullCursor')).toBe('2');
});

test('an offset is judged once an id is known: a call that waits for the first update does not forget it', async () => {
  await scene.applyBot({ pull: true });
  for (const first of [true, false]) {
    const { from, updates } = await page(3, { first });
    expect([from, updates]).toEqual([3, []]);
  }
  // The platform gives once more what was not acknowledged there before Redis lost the log.
  await scene.accept([1, 2, 3]);
  expect(await raws(3, { first: false })).toEqual(['{"update_id":3}']);
});

test('an offset far above the first id is of another server, and the call that waited for it gets all', async () => {
  await scene.applyBot({ pull: true });
  const { from } = await page(1000);
  await scene.accept([1, 2]);
  expect(await raws(from, { first: false })).toEqual(['{"update_id":1}', '{"update_id":2}']);
});

test('what push has delivered is left out for the default consumer alone', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2]);
  await scene.commands.sadd(scene.keys.deliveredAhead, '1');
  expect(await raws(0)).toEqual(['{"update_id":2}']);
  expect(await raws(0, { consumer: 'audit' })).toEqual(['{"update_id":1}', '{"update_id":2}']);
});

test('what the default consumer acknowledges counts as delivered, once', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2, 3, 4]);
  await read(0);
  await read(3, { consumer: 'audit' });
  expect(await scene.counted()).toEqual(['4 0 0 0 0', '4 0 0 0 0']);
  for (const offset of [3, 3, 2, 4]) await read(offset);
  expect(await scene.counted()).toEqual(['4 3 0 0 0', '4 3 0 0 0']);
});

test('updates that a negative offset forgets do not count as delivered', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2, 3]);
  await read(-1);
  expect(await scene.counted()).toEqual(['3 0 0 0 0', '3 0 0 0 0']);
  await read(4);
  expect(await scene.counted()).toEqual(['3 1 0 0 0', '3 1 0 0 0']);
});

test('nobody reads a bot that is gone or not pulled', async () => {
  expect(await read(0)).toEqual({ outcome: 'GONE' });
  await scene.applyBot({ push: true });
  expect(await read(0)).toEqual({ outcome: 'OFF' });
});

describe('a program', () => {
  const ofProgram = (offset: number, kinds = '', revision = 1) =>
    read(offset, { consumer: 'program:5', kinds, revision });
  const cursor = async () => (await scene.commands.hget(scene.keys.consumers, 'program:5'))?.split(' ')[0];

  test('reads from when it was added, whether or not the bot is long-polled', async () => {
    await scene.applyBot();
    await scene.applyBot({ programs: [5], revision: 2 });
    await scene.accept([1, 2]);
    await scene.applyBot({ programs: [5, 6], revision: 3 });
    await scene.accept([3]);
    expect(okOf(await ofProgram(2, '', 3)).updates).toEqual(['{"update_id":2}', '{"update_id":3}']);
    expect(await raws(0, { consumer: 'program:6', revision: 3 })).toEqual(['{"update_id":3}']);
  });

  test('passes what it does not want, but nothing behind an update that it has not acknowledged', async () => {
    await scene.applyBot({ programs: [5] });
    await scene.accept([1, 2]);
    await scene.accept([3], 'c:5', 'poll');
    await scene.accept([4]);
    expect(okOf(await ofProgram(0, '!,message,')).updates).toEqual(['{"update_id":3}']);
    expect(await cursor()).toBe('2');
    expect(okOf(await ofProgram(4, '!,message,')).updates).toEqual([]);
    expect(await cursor()).toBe('4');
  });

  test('that asks again with an old offset still passes what it does not want', async () => {
    await scene.applyBot({ programs: [5] });
    await scene.accept([1]);
    await ofProgram(2, ',poll,');
    await scene.accept([2, 3]);
    await ofProgram(2, ',poll,');
    await scene.accept([4]);
    await ofProgram(2, ',poll,');
    expect(await cursor()).toBe('4');
  });

  test('that was deleted is not brought back by a caller that does not know it yet', async () => {
    await scene.applyBot({ programs: [5] });
    await scene.applyBot({ revision: 2 });
    expect(await ofProgram(0)).toEqual({ outcome: 'CHANGED' });
    expect(await scene.commands.exists(scene.keys.consumers)).toBe(0);
  });

  test('is not read by an older configuration, because it may want more kinds by now', async () => {
    await scene.applyBot({ programs: [5] });
    await scene.applyBot({ programs: [5], revision: 2 });
    await scene.accept([1], 'c:5', 'poll');
    expect(await ofProgram(0, ',message,')).toEqual({ outcome: 'CHANGED' });
    expect(okOf(await ofProgram(0, ',message,poll,', 2)).updates).toEqual(['{"update_id":1}']);
  });

  test('takes no place of a named consumer', async () => {
    await scene.applyBot({ pull: true, programs: Array.from({ length: 20 }, (_, at) => at + 1) });
    for (let at = 0; at < 16; at++) expect((await read(0, { consumer: `c${at}` })).outcome).toBe('OK');
    expect(await read(0, { consumer: 'one-more' })).toEqual({ outcome: 'TOO_MANY' });
  });
});

describe('what a program took', () => {
  const accept = (id: number, mark: string, kind = 'message') =>
    scene.accept([id], 'c:5', kind, { filters: 'b', marks: [mark] });
  const cursors = async () => [
    await scene.commands.hget(scene.keys.state, 'pullCursor'),
    ...(await scene.commands.hvals(scene.keys.consumers)).map((value) => value.split(' ')[0]),
  ];

  test('is passed by every cursor that has nothing to acknowledge before it, and counts as passed', async () => {
    await scene.applyBot({ pull: true, programs: [5], filters: 'b' });
    for (const id of [1, 2]) await accept(id, '=5');
    expect([await raws(0), await raws(0, { consumer: 'audit' })]).toEqual([[], []]);
    expect(await cursors()).toEqual(['2', '0', '2']);
    expect(await scene.commands.hget(scene.keys.state, 'pullCursorCount')).toBe('2');
    await accept(3, '');
    await accept(4, '=5');
    expect([await raws(0), await raws(0, { consumer: 'audit' })]).toEqual([['{"update_id":3}'], ['{"update_id":3}']]);
    expect(await cursors()).toEqual(['2', '0', '2']);
    expect(await raws(0, { consumer: 'program:5' })).toEqual([1, 2, 3, 4].map((id) => `{"update_id":${id}}`));
    await raws(4);
    expect(await cursors()).toEqual(['4', '0', '2']);
    expect(await scene.commands.hget(scene.keys.state, 'pullCursorCount')).toBe('4');
    expect(await scene.counted()).toEqual(['4 1 0 0 0', '4 1 0 0 0']);
  });

  test('does not count as delivered to the poller that acknowledges what is around it', async () => {
    await scene.applyBot({ pull: true, programs: [5], filters: 'b' });
    for (const [at, mark] of ['', '=5', '=5', ''].entries()) await accept(at + 1, mark);
    await read(5);
    expect(await scene.commands.hget(scene.keys.state, 'pullCursorCount')).toBe('4');
    expect(await scene.counted()).toEqual(['4 2 0 0 0', '4 2 0 0 0']);
  });

  test('counts as delivered where very many are acknowledged at once, which are not looked at one by one', async () => {
    await scene.applyBot({ pull: true, programs: [5], filters: 'b' });
    await accept(1, '');
    const ids = Array.from({ length: 1_200 }, (_, at) => at + 2);
    for (let from = 0; from < ids.length; from += 200) {
      const some = ids.slice(from, from + 200);
      await scene.accept(some, 'c:5', 'message', { filters: 'b', marks: some.map(() => '=5') });
    }
    await read(1_202);
    expect(await scene.counted()).toEqual(['1201 1201 0 0 0', '1201 1201 0 0 0']);
  });

  test('is not passed behind an update that was left out by its kind', async () => {
    await scene.applyBot({ pull: true, programs: [5], filters: 'b' });
    await accept(1, '', 'poll');
    await accept(2, '=5');
    expect(await raws(0, { consumer: 'audit', kinds: ',message,' })).toEqual([]);
    expect(await raws(0, { consumer: 'audit' })).toEqual(['{"update_id":1}']);
  });

  test('it gets whatever kinds it has now, unless its client asks for others', async () => {
    await scene.applyBot({ programs: [5], filters: 'b' });
    await accept(1, '=5', 'poll');
    await accept(2, '', 'poll');
    await accept(3, ',5,');
    expect(await raws(0, { consumer: 'program:5', kinds: ',message,' })).toEqual(['{"update_id":1}']);
    expect(await raws(0, { consumer: 'program:5', kinds: ',message,', takenKinds: ',message,' })).toEqual([]);
  });
});

test('a program that wants one of thousands of updates passes the others, a limited number in each call', async () => {
  await scene.applyBot({ programs: [5], filters: 'b' });
  for (let first = 1; first <= 2500; first += 250) {
    const ids = Array.from({ length: 250 }, (_, at) => first + at);
    const marks = ids.map((id) => (id === 2400 ? '' : ',5,'));
    await scene.accept(ids, 'c:5', 'message', { filters: 'b', marks });
  }
  const found = [];
  let from = 0;
  for (let calls = 0; calls < 3; calls += 1) {
    const { from: next, more, updates } = await page(from, { consumer: 'program:5', first: calls === 0 });
    found.push([next, more, updates]);
    from = next;
  }
  expect(found).toEqual([
    [1001, true, []],
    [2001, true, []],
    [2501, false, ['{"update_id":2400}']],
  ]);
  expect(await scene.commands.hget(scene.keys.consumers, 'program:5')).toEqual(storedAt(2399));
});

test('a repeated poll is throttled for 3 s, of each program and the default consumer by itself, of no other', async () => {
  await scene.applyBot({ pull: true, programs: [5, 6] });
  const throttled = async (consumer: string, offset = 0) =>
    (await page(offset, { consumer, throttle: true })).throttled;
  for (const consumer of ['', 'program:5', 'program:6']) {
    expect([await throttled(consumer), await throttled(consumer), await throttled(consumer, 1)]).toEqual([
      false,
      true,
      false,
    ]);
    await scene.passMs(3000);
    expect(await throttled(consumer, 1)).toBe(false);
  }
  expect([await throttled('audit'), await throttled('audit')]).toEqual([false, false]);
  await scene.applyBot({ revision: 2 });
  expect(await scene.commands.keys('*:program:*')).toEqual([]);
});

test('a poll that began before its program got a backend reads nothing, and lets go of nothing', async () => {
  await scene.applyBot({ programs: [5] });
  await scene.accept([1, 2]);
  await scene.applyBot({ programs: [5], pushing: ' 5:1:ab', revision: 2 });
  const later = { consumer: 'program:5', kinds: ',poll,', revision: 2 };
  expect([await read(3, { ...later, revision: 1 }), await read(3, later)]).toEqual([
    { outcome: 'CHANGED' },
    { outcome: 'OFF' },
  ]);
  expect(await scene.commands.hget(scene.keys.consumers, 'program:5')).toEqual(storedAt(0));
});

test('what a reader gets again is not for named consumers, nor for programs that it does not name', async () => {
  await scene.applyBot({ pull: true, programs: [5, 6] });
  await read(0, { consumer: 'audit' });
  const add = (id: number, mark: string, isAllowed: boolean) =>
    scene.commands.xadd(
      ...([
        scene.keys.log,
        `${id}-0`,
        'u',
        String(id),
        'k',
        'message',
        'l',
        'c:5',
        't',
        NOW_MS,
        'x',
        NOW_MS + DAY_MS,
      ] as const),
      ...(['n', id, 'm', isAllowed ? '0' : '1', 'tp', '', 'o', mark, 'r', '0'] as const),
    );
  await add(1, ',5,6,', true);
  await add(2, '=5', false);
  await scene.commands.hset(scene.keys.state, 'lastId', 2, 'allowedCount', 2);
  expect(await raws(0)).toEqual(['1']);
  expect(await raws(0, { consumer: 'program:5' })).toEqual(['2']);
  expect(await raws(0, { consumer: 'program:6' })).toEqual([]);
  expect(await raws(0, { consumer: 'audit' })).toEqual([]);
  expect(await scene.commands.hgetall(scene.keys.consumers)).toMatchObject({
    audit: storedAt(2),
    'program:5': storedAt(1),
    'program:6': storedAt(2),
  });
});

describe('what has expired', () => {
  const idsFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);
  const cursor = () => scene.commands.hmget(scene.keys.state, 'pullCursor', 'pullCursorCount');

  test('is passed by a poll that gets nothing, whatever its offset, and does not count as delivered', async () => {
    for (const offset of [0, 1, 3, -5]) {
      await scene.clear();
      await scene.applyBot({ pull: true });
      await scene.accept([1, 2, 3, 4, 5]);
      await read(2);
      expect(await raws(offset)).not.toEqual([]);
      await scene.passMs(DAY_MS);
      expect(await raws(offset, { kinds: ',poll,' })).toEqual([]);
      expect(await cursor()).toEqual(['5', '5']);
      expect(await scene.counted()).toEqual(offset === 3 ? ['5 2 0 0 0', '5 2 0 0 0'] : ['5 1 0 0 0', '5 1 0 0 0']);
    }
  });

  test('is passed and removed a limited number in each call, and by a poll of a named consumer for itself', async () => {
    await scene.applyBot({ pull: true });
    // With gaps, because what was passed within the last 10,000 ids is still readable.
    for (let first = 1; first <= 2500; first += 250) await scene.accept(idsFrom(first, 250).map((at) => at * 20));
    await scene.passMs(DAY_MS);
    await scene.commands.hset(scene.keys.state, 'trimmedAt', Date.now() + DAY_MS);
    const found = [];
    let from = 0;
    for (let calls = 0; calls < 3; calls += 1) {
      const { from: next, more } = await page(from, { first: calls === 0 });
      found.push([next, more, await scene.commands.xlen(scene.keys.log)]);
      from = next;
    }
    // Trimming passes 201 more in each call.
    expect(found).toEqual([
      [20_001, true, 1799],
      [40_001, true, 799],
      [50_001, false, 799],
    ]);
    expect(await cursor()).toEqual(['50000', '2500']);
    await read(0, { consumer: 'audit' });
    expect(await scene.commands.hget(scene.keys.consumers, 'audit')).toEqual(storedAt(50_000));
  });

  test('is left to the poll that has not read what is before it', async () => {
    await scene.applyBot({ pull: true });
    await scene.accept([1, 2, 3]);
    await scene.passMs(DAY_MS);
    expect(await raws(3, { first: false })).toEqual([]);
    expect(await cursor()).toEqual(['0', '0']);
    expect(await raws(1, { first: false })).toEqual([]);
    expect(await cursor()).toEqual(['3', '3']);
  });
});

test('what allowed_updates left out is passed by the default consumer, and kept for a named one', async () => {
  await scene.applyBot({ pull: true });
  await read(0, { consumer: 'audit' });
  await scene.accept([1, 2], 'c:5', 'chat_member');
  expect(await raws(0)).toEqual([]);
  expect(await scene.commands.hmget(scene.keys.state, 'pullCursor', 'pullCursorCount')).toEqual(['2', '0']);
  expect(await raws(0, { consumer: 'audit' })).toEqual(['{"update_id":1}', '{"update_id":2}']);
});
