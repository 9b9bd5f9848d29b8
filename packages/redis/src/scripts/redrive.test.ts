import { programKeys } from '@flotilla/redis/keys.ts';
import {
  BOT,
  type LuaScene,
  luaScene,
  NOW_MS,
  REGISTRATION,
  storedAt,
  writtenNow,
} from '@flotilla/testing/lua-scene.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type RedriveArgs, scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

type Letter = RedriveArgs['letters'][number];
const redrive = (reader: string, letters: Letter[], { limit = 100, reserved = null as number | null } = {}) => {
  const { keys } = scene;
  const [, id] = /^program:(\d+)$/.exec(reader) ?? [];
  const program = id === undefined ? null : programKeys(BOT, Number(id));
  const rules = { lanes: keys.rulesLanes, redriven: keys.rulesRedriven, lane: keys.rulesLane };
  const { lanes, redriven, lane } = reader === 'rules' ? rules : (program ?? keys);
  return scripts.redrive(
    scene.commands,
    { ...keys, lanes, redriven, program: program?.state ?? null },
    {
      registrationId: REGISTRATION,
      botId: BOT,
      lanePrefix: lane(''),
      keepMs: 60_000,
      reader,
      knownForMs: 60_000,
      limit,
      reservedId: reserved,
      letters,
    },
  );
};
const letter = (id: number, updateId: number, { progress = '', album = '', exclusive = false } = {}): Letter => {
  const raw = `{"update_id":${updateId}}`;
  const update = { id: updateId, kind: 'message', lane: 'c:5', raw, idStart: 14, idEnd: raw.length - 1 };
  return { letterId: id, ...update, progress, album, exclusive };
};
const LETTER = letter(4, 7);
const IN_LANES = { outcome: 'LANES' };
const IN_LOG = { outcome: 'LOG', reserveIds: true, wakePush: false, wakeRules: false };
const entries = async () =>
  (await scene.commands.xrange(scene.keys.log, '-', '+')).map(([id, fields]) => [
    Number.parseInt(id, 10),
    ...['u', 'n', 'm', 'o', 'r'].map((name) => fields[fields.indexOf(name) + 1]),
  ]);
const consumer = (id: number) => scene.commands.hget(scene.keys.consumers, `program:${id}`);

test('a dead letter stands at the end of its lane once, and a turn is pending', async () => {
  await scene.applyBot({ push: true });
  expect([await redrive('push', [LETTER, LETTER]), await redrive('push', [LETTER])]).toEqual([IN_LANES, IN_LANES]);
  expect(await scene.commands.lrange(scene.keys.lane('c:5'), 0, -1)).toEqual(['r4']);
  expect(await scene.commands.hget(scene.keys.state, 'pushPending')).toBe('1');
  expect(await scene.commands.zrange(scene.keys.pendingTurns, '0', '-1')).toEqual([`${BOT}:push`]);
});

test('the worker that holds the turn is told', async () => {
  await scene.applyBot({ push: true });
  await scene.commands.zadd(scene.keys.pendingTurns, NOW_MS + 60_000, `held:${BOT}:push`);
  const told: string[] = [];
  const subscription = await scene.subscribe('flotilla:turn-news', (names) => told.push(names));
  await redrive('push', [LETTER]);
  expect(await scene.commands.zscore(scene.keys.pendingTurns, `${BOT}:push`)).toEqual(writtenNow());
  await waitFor(() => told.includes(`${BOT}:push`));
  subscription.close();
});

test('rules keep its progress and its album; without a reader nothing happens', async () => {
  expect(await redrive('push', [LETTER])).toEqual({ outcome: 'GONE' });
  await scene.applyBot({ rules: true });
  expect(await redrive('push', [LETTER])).toEqual({ outcome: 'OFF' });
  expect(await redrive('program:5', [LETTER])).toEqual({ outcome: 'OFF' });
  await redrive('rules', [letter(4, 7, { progress: '{"to":{}}', album: 'album' })]);
  expect(await scene.commands.hgetall(scene.keys.rulesWork)).toEqual({ 'p:r4': '{"to":{}}', 'g:r4': 'album' });
  expect(await scene.commands.hget(scene.keys.state, 'rulesPending')).toBe('1');
});

test('one that was redriven stays known after it was sent, so that a repeated call does not send it again', async () => {
  await scene.applyBot({ push: true });
  await redrive('push', [LETTER]);
  await scene.commands.del(scene.keys.lane('c:5'), scene.keys.redriven, scene.keys.lanes);
  expect(await redrive('push', [LETTER, letter(5, 7)])).toEqual(IN_LANES);
  expect(await scene.commands.lrange(scene.keys.lane('c:5'), 0, -1)).toEqual(['r5']);
  expect(await scene.commands.pttl(scene.keys.justRedriven)).toBeGreaterThan(0);
});

test('what is redriven to a paused program waits, and its turn is pending once it is enabled', async () => {
  const own = programKeys(BOT, 5);
  const pendingTurns = () => scene.commands.zrange(scene.keys.pendingTurns, '0', '-1');
  await scene.applyBot({ programs: [5], pushing: ' 5:0:ab', revision: 2 });
  expect(await redrive('program:5', [letter(4, 7, { exclusive: true })])).toEqual(IN_LANES);
  expect(await scene.commands.lrange(own.lane('c:5'), 0, -1)).toEqual(['r4']);
  expect(JSON.parse((await scene.commands.hget(own.redriven, 'r4')) ?? '')).toMatchObject({ id: 7, exclusive: '1' });
  expect(await pendingTurns()).toEqual([]);
  await scene.applyBot({ programs: [5], pushing: ' 5:1:ab', revision: 3 });
  expect(await pendingTurns()).toEqual([`${BOT}:program:5`]);
});

test('a program that polls gets its letters at the end of the log, once, under new ids that rise', async () => {
  await scene.applyBot({ pull: true, programs: [5, 6] });
  await scene.accept([8]);
  const letters = [letter(4, 3, { exclusive: true }), letter(2, 7)];
  expect(await redrive('program:5', letters)).toEqual({ ...IN_LOG, lastId: 10 });
  expect(await redrive('program:5', letters)).toEqual({ ...IN_LOG, lastId: 10 });
  expect((await entries()).slice(1)).toEqual([
    [9, '{"update_id":9}', '2', '1', '=5', '1'],
    [10, '{"update_id":10}', '3', '1', '=5', '0'],
  ]);
  expect(await scene.commands.hmget(scene.keys.state, 'lastId', 'allowedCount', 'newestIsOurs', 'pushCursor')).toEqual([
    '10',
    '3',
    '1',
    '10',
  ]);
  await scene.accept([9, 10]);
  expect((await entries()).slice(3).map(([id]) => id)).toEqual([11, 12]);
});

test('the default poller gets those of push where there is no backend; programs and named consumers do not', async () => {
  await scene.applyBot({ pull: true, programs: [5, 6] });
  expect(await redrive('push', [LETTER])).toEqual({ ...IN_LOG, lastId: 1 });
  expect(await entries()).toEqual([[1, '{"update_id":1}', '1', '0', ',5,6,', '0']]);
  await scene.clear();
  await scene.applyBot({ pull: true });
  await redrive('push', [LETTER]);
  expect(await entries()).toEqual([[1, '{"update_id":1}', '1', '0', ',', '0']]);
});

test('push and rules are woken to pass what a program gets again', async () => {
  await scene.applyBot({ push: true, rules: true, programs: [5] });
  expect(await redrive('program:5', [LETTER])).toEqual({ ...IN_LOG, lastId: 1, wakePush: true, wakeRules: true });
  expect(await redrive('program:5', [letter(5, 7)])).toEqual({ ...IN_LOG, lastId: 2 });
  expect(await scene.commands.zrange(scene.keys.pendingTurns, '0', '-1')).toEqual([`${BOT}:push`, `${BOT}:rules`]);
});

test('a parked program that gets letters again holds the log again', async () => {
  await scene.applyBot({ programs: [5] });
  await scene.accept([1]);
  await scene.commands.hset(scene.keys.consumers, 'program:5', '1 0');
  await redrive('program:5', [LETTER]);
  expect(await consumer(5)).toEqual(storedAt(1));
});

test('a reader that polls gets no more than may wait for it', async () => {
  await scene.applyBot({ pull: true, programs: [5] });
  await scene.accept([1, 2]);
  for (const reader of ['push', 'program:5']) {
    expect(await redrive(reader, [LETTER], { limit: 2 })).toEqual({ outcome: 'FULL' });
    expect((await redrive(reader, [letter(reader.length, 7)], { limit: 3 })).outcome).toBe('LOG');
    await scene.applyBot({ pull: true, programs: [5] });
    await scene.commands.hset(scene.keys.consumers, 'program:5', `1 ${NOW_MS}`);
  }
});

test('where Redis may have lost ids, the new ones are above those that Postgres has reserved', async () => {
  await scene.applyBot({ programs: [5] });
  await scene.commands.hset(scene.keys.state, 'run', 'earlier');
  expect(await redrive('program:5', [LETTER])).toEqual({ outcome: 'DOUBT' });
  expect(await redrive('program:5', [LETTER], { reserved: 500_000 })).toEqual({ ...IN_LOG, lastId: 500_001 });
  expect(await redrive('program:5', [letter(5, 7)])).toEqual({ ...IN_LOG, lastId: 500_002 });
});
