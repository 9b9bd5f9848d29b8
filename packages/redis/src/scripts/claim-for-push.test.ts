import {
  BOT,
  DAY_MS,
  type LuaScene,
  luaScene,
  okOf,
  REGISTRATION,
  type Settled,
  writtenNow,
} from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type ClaimForPushArgs, scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const NO_REQUESTS = { lastError: '', failedForMs: null, succeeded: false, answers: 'none' } as const;
type Requests = Partial<Pick<ClaimForPushArgs, keyof typeof NO_REQUESTS | 'tried' | 'measured'>>;
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
const claim = (options: Parameters<LuaScene['claimArguments']>[1], requests: Requests = {}) =>
  scripts.claimForPush(scene.commands, scene.turnKeys('push'), {
    ...scene.claimArguments('push', options),
    ...NO_REQUESTS,
    ...requests,
  });
const idsIn = (reply: Awaited<ReturnType<typeof claim>>) => okOf(reply).units.map(({ updates }) => updates[0]?.inLane);
const claimed = async (...given: Parameters<typeof claim>) => okOf(await claim(...given));
const NOTHING_MORE = { moreToDo: false, isStale: false, hopeless: false, closed: false, opened: false, waiting: 0 };

test('what a parking that has expired left in its lanes is given up when push is switched on again', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1, 2]);
  await claim({ name: 'a1', limit: 0 });
  await scene.applyBot({ revision: 2 });
  await scene.passMs(3_600_001);
  await scene.applyBot({ push: true, revision: 3 });
  expect(await scene.commands.exists(scene.keys.lanes)).toBe(0);
  await scene.accept([3], 'c:6');
  const { fencingToken: token } = await claimed({ name: 'b1', limit: 0 });
  expect(idsIn(await claim({ token, name: 'b2' }))).toEqual(['3']);
  expect(await scene.commands.hget(scene.keys.state, 'pushPending')).toBe('1');
});

const DEAD: Settled = {
  lane: 'c:5',
  id: '1',
  outcome: 'dead',
  json: JSON.stringify({ code: 'refused', reason: 'no', attempts: 1 }),
};

test('files what is new into lanes, and claims one unit of each', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1, 2]);
  await scene.accept([3], 'c:6');
  const first = await claim({ name: 'a1' });
  expect(first).toMatchObject({
    ...{ outcome: 'OK', fencingToken: 1, lookInMs: null, wakeHistory: false, ended: false, held: false },
    ...{ ...NOTHING_MORE, waiting: 3 },
  });
  expect(idsIn(first)).toEqual(['1', '3']);
  const second = { token: 1, name: 'a2', settled: delivered('1') };
  expect(idsIn(await claim(second, { ...SUCCEEDED, tried: 'one\ntwo' }))).toEqual(['2']);
  expect(await scene.commands.lrange(scene.keys.attempts, 0, -1)).toEqual(['two', 'one']);
  expect(
    await scene.commands.hmget(scene.keys.state, 'pushCursor', 'pushCursorCount', 'pushPending', 'pushOkAt'),
  ).toEqual(['3', '3', '2', writtenNow()]);
});

test('opens the breaker after ten seconds of failures, and closes it at the first success', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1]);
  await claim({ name: 'a1' });
  const opened = await claim({ token: 1, name: 'a2', settled: retried(0) }, failedFor(10_000));
  expect(opened).toMatchObject({ ...NOTHING_MORE, lookInMs: 2000, ended: false, opened: true, waiting: 1 });
  expect(idsIn(await claim({ token: 1, name: 'a3' }))).toEqual([]);
  await scene.passMs(2000);
  const probe = await claim({ token: 1, name: 'a4' });
  expect(idsIn(probe)).toEqual(['1']);
  const closed = await claim({ token: 1, name: 'a5', settled: delivered('1') }, SUCCEEDED);
  expect(closed).toMatchObject({ ...NOTHING_MORE, closed: true });
  expect(await scene.commands.hexists(scene.keys.state, 'openUntil')).toBe(0);
});

test('of a bot whose attempts fail the last one is known by its own time, which is of the clock of a worker', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1]);
  await claim({ name: 'a1' });
  const score = () => scene.commands.zscore(scene.turnKeys('push').failing, BOT);
  const attempt = (atMs: number) => `${atMs} 1 5 502 1 1 1 - -`;
  await claim({ token: 1, name: 'a2', settled: retried(0) }, { tried: attempt(7_000), measured: '17 1' });
  expect(await score()).toBeNull();
  const tried = [attempt(9_000), attempt(8_000)].join('\n');
  await claim({ token: 1, name: 'a3', settled: retried(0) }, { tried, measured: '3 2 17 2' });
  expect(await score()).toBe('9000');
  await claim({ token: 1, name: 'a4', settled: retried(0) }, { tried: attempt(5_000), measured: '3 1 17 1' });
  expect(await score()).toBe('9000');
});

test('an update that comes while the breaker is open and nothing waits has a turn at the next probe', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1]);
  await claim({ name: 'a1' });
  const given = await claim({ token: 1, name: 'a2', settled: [DEAD], end: 'idle' }, failedFor(10_000));
  expect(given).toMatchObject({ ended: true });
  expect(await scene.accept([2])).toMatchObject({ wakePush: false });
  expect(await scene.commands.zscore(scene.keys.pendingTurns, `${BOT}:push`)).toEqual(writtenNow(2000));
  await scene.passMs(2000);
  expect(idsIn(await claim({ name: 'b1' }))).toEqual(['2']);
});

test('counts what was delivered, retried and given up, also when the claim is sent again', async () => {
  await scene.applyBot({ push: true });
  for (const lane of [5, 6, 7, 8, 9]) await scene.accept([lane], `c:${lane}`);
  await claim({ name: 'a1' });
  const settled: Settled[] = [
    { lane: 'c:5', id: '5', outcome: 'delivered' },
    { lane: 'c:6', id: '6', outcome: 'retry', dueInMs: 0, json: '{}' },
    { ...DEAD, lane: 'c:7', id: '7' },
    { lane: 'c:8', id: '8', outcome: 'dropped' },
    { lane: 'c:9', id: '9', outcome: 'waits', dueInMs: 0 },
  ];
  for (let sent = 0; sent < 2; sent += 1) await claim({ token: 1, name: 'a2', settled }, SUCCEEDED);
  expect(await scene.counted()).toEqual(['5 1 1 1 0', '5 1 1 1 0']);
  expect(await claim({ token: 0, name: 'b1', settled }, SUCCEEDED)).toEqual({ outcome: 'FENCED' });
  // A unit that is settled already, as by an owner that came in between.
  await claim({ token: 1, name: 'a3', settled: settled.slice(0, 1) }, SUCCEEDED);
  expect(await scene.counted()).toEqual(['5 1 1 1 0', '5 1 1 1 0']);
});

test('counts an update that expired while it waited as given up', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1]);
  await scene.passMs(DAY_MS);
  await claim({ name: 'a1' });
  expect(await scene.counted()).toEqual(['1 0 1 0 0', '1 0 1 0 0']);
});

test('a backend does not get what a program took, and is not behind by it once it has looked', async () => {
  await scene.applyBot({ push: true, programs: [5], filters: 'b' });
  await scene.accept([1, 2, 3], 'c:5', 'message', { filters: 'b', marks: ['=5', ',5,', '=5'] });
  expect(idsIn(await claim({ name: 'a1' }))).toEqual(['2']);
  expect(await scene.commands.hmget(scene.keys.state, 'allowedCount', 'pushCursorCount', 'pushPending')).toEqual([
    '3',
    '3',
    '1',
  ]);
});

test('a turn that is held is pending again with the next update, and ends at last', async () => {
  const since = (turn: string) => scene.commands.zscore(scene.keys.pendingTurns, turn).then(Number);
  await scene.applyBot({ push: true });
  await scene.accept([1]);
  expect(await claim({ name: 'a1', end: 'hold' })).toMatchObject({ ended: false, held: false });
  const second = await claim({ token: 1, name: 'a2', settled: delivered('1'), end: 'hold' }, SUCCEEDED);
  expect(second).toMatchObject({ ended: false, held: true });
  expect(await since(`held:${BOT}:push`)).toBeGreaterThan(Date.now());
  expect(await scene.accept([2])).toMatchObject({ wakePush: false });
  expect(await since(`${BOT}:push`)).toEqual(writtenNow());
  expect(idsIn(await claim({ token: 1, name: 'a3', end: 'hold' }))).toEqual(['2']);
  const last = await claim({ token: 1, name: 'a4', settled: delivered('2'), end: 'idle' }, SUCCEEDED);
  expect(last).toMatchObject({ ended: true, held: false });
  expect(await scene.commands.exists(scene.keys.pendingTurns)).toBe(0);
});

test('no turn is held while the breaker is open, or once its reader is off', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1]);
  await claim({ name: 'a1' });
  const given = await claim({ token: 1, name: 'a2', settled: [DEAD], end: 'hold' }, failedFor(10_000));
  expect(given).toMatchObject({ ended: true, held: false });
  await scene.commands.hdel(scene.keys.state, 'openUntil');
  expect(await claim({ token: 1, name: 'a3', end: 'hold' })).toMatchObject({ ended: false, held: true });
  await scene.commands.hset(scene.keys.state, 'on', 0);
  expect(await claim({ token: 1, name: 'a4', end: 'hold' })).toMatchObject({ ended: true, held: false });
  expect(await scene.commands.zscore(scene.keys.pendingTurns, `${BOT}:push`)).toBeNull();
});

test('a failed probe puts off the next one for twice as long, up to a minute', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1]);
  await claim({ name: 'a1' });
  const waits = [];
  for (let probe = 2; probe < 9; probe += 1) {
    const failed = await claimed({ token: 1, name: `a${probe * 2}`, settled: retried(0) }, failedFor(10_000));
    waits.push(failed.lookInMs);
    await scene.passMs(failed.lookInMs!);
    expect(idsIn(await claim({ token: 1, name: `a${probe * 2 + 1}` }))).toEqual(['1']);
  }
  expect(waits).toEqual([2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000));
});

/** Claims until nothing is left to remove; how many dead letters each of the claims made. */
const lettersOfClaims = async (options: Parameters<LuaScene['claimArguments']>[1], count: number) => {
  const made: number[] = [];
  const replies: Awaited<ReturnType<typeof claimed>>[] = [];
  for (let claims = 0; claims < count; claims += 1) {
    const before = await scene.deadLetters();
    replies.push(await claimed({ ...options, name: `${options.name} ${claims}` }));
    made.push((await scene.deadLetters()) - before);
  }
  return { made, replies };
};

test('a claim makes 200 dead letters at most of all lanes together, and says that there is more to do', async () => {
  await scene.applyBot({ push: true });
  for (const lane of ['c:5', 'c:6', 'c:7']) {
    const first = lane === 'c:5' ? 1 : lane === 'c:6' ? 151 : 301;
    await scene.accept(
      Array.from({ length: 150 }, (_, at) => first + at),
      lane,
    );
  }
  for (const name of ['a1', 'a2', 'a3']) await claim({ name, limit: 0 });
  await scene.passMs(DAY_MS);
  const { made, replies } = await lettersOfClaims({ token: 3, name: 'b' }, 4);
  expect(made).toEqual([200, 200, 50, 0]);
  expect(replies).toMatchObject([
    { lookInMs: 0, ended: false, moreToDo: true, waiting: 250 },
    { lookInMs: 0, ended: false, moreToDo: true, waiting: 50 },
    { lookInMs: null, ended: false, moreToDo: false, waiting: 0 },
    { lookInMs: null, ended: false, moreToDo: false, waiting: 0 },
  ]);
  expect(await scene.commands.exists(scene.keys.lanes, scene.keys.lane('c:5'), scene.keys.work)).toBe(0);
});

test('the dead letters of what is settled count among those of the claim', async () => {
  await scene.applyBot({ push: true });
  await scene.accept(Array.from({ length: 200 }, (_, at) => at + 1));
  await scene.accept([201], 'c:6');
  for (const name of ['a1', 'a2']) await claim({ name });
  await scene.passMs(DAY_MS);
  const settled: Settled[] = [
    { ...DEAD, lane: 'c:6', id: '201' },
    { lane: 'c:5', id: '1', outcome: 'returned' },
  ];
  const reply = await claim({ token: 2, name: 'b1', settled });
  expect(reply).toMatchObject({ ...NOTHING_MORE, moreToDo: true, waiting: 1 });
  expect(await scene.deadLetters()).toBe(200);
});

test('what is not expired is claimed beside a lane with more to remove, and that lane keeps its order', async () => {
  await scene.applyBot({ push: true });
  await scene.accept(Array.from({ length: 201 }, (_, at) => at + 1));
  for (const name of ['a1', 'a2']) await claim({ name, limit: 0 });
  await scene.passMs(DAY_MS);
  const atMs = Date.now();
  // These expire later.
  await scene.commands.hset(scene.keys.redriven, {
    r1: JSON.stringify({ id: 900, raw: '{}', kind: 'message', lane: 'c:5', at: atMs, expires: atMs + DAY_MS }),
    r2: JSON.stringify({ id: 901, raw: '{}', kind: 'message', lane: 'c:6', at: atMs, expires: atMs + DAY_MS }),
  });
  await scene.commands.rpush(scene.keys.lane('c:5'), 'r1');
  await scene.commands.rpush(scene.keys.lane('c:6'), 'r2');
  await scene.commands.zadd(scene.keys.lanes, atMs, 'c:6');
  await scene.commands.hincrby(scene.keys.state, 'pushPending', 2);
  expect(idsIn(await claim({ token: 2, name: 'b1' }))).toEqual(['r2']);
  expect(await scene.commands.lrange(scene.keys.lane('c:5'), 0, -1)).toEqual(['201', 'r1']);
  expect(idsIn(await claim({ token: 2, name: 'b2' }))).toEqual(['r1']);
});

test('entries that are gone from the log count, too, and the last end of a turn waits for them', async () => {
  await scene.applyBot({ push: true });
  await scene.accept(Array.from({ length: 200 }, (_, at) => at + 1));
  await claim({ name: 'a1', limit: 0 });
  await scene.commands.rpush(scene.keys.lane('c:5'), ...Array.from({ length: 50 }, (_, at) => String(at + 1)));
  await scene.commands.hincrby(scene.keys.state, 'pushPending', 50);
  await scene.commands.xtrim(scene.keys.log, 'MINID', '1000');
  const first = await claim({ token: 1, name: 'a2', end: 'idle' });
  expect(first).toMatchObject({ ...NOTHING_MORE, lookInMs: 0, ended: false, moreToDo: true, waiting: 50 });
  const last = await claim({ token: 1, name: 'a3', end: 'idle' });
  expect(last).toMatchObject({ ...NOTHING_MORE, lookInMs: null, ended: true });
});

describe('a copy that somebody replays', () => {
  const replay = () =>
    scripts.replayUpdate(
      scene.commands,
      { ...scene.keys, readerState: scene.keys.state },
      {
        ...{ registrationId: REGISTRATION, botId: BOT, lanePrefix: scene.keys.lane(''), programId: null },
        ...{ conversation: '5', copyId: 'rc1', id: 1, kind: 'message', lane: 'c:5', raw: '{"update_id":1}' },
        beginsWithinMs: 15_000,
      },
    );
  const inFlight = async () => {
    await scene.applyBot({ push: true });
    expect(await replay()).toEqual({ outcome: 'OK' });
    expect(idsIn(await claim({ name: 'a1' }))).toEqual(['rc1']);
  };

  test('is not begun again after its owner has died, and holds nothing up', async () => {
    await inFlight();
    await scene.accept([2]);
    expect(idsIn(await claim({ name: 'b1' }))).toEqual(['2']);
    expect(await scene.commands.hlen(scene.keys.redriven)).toBe(0);
    expect(await scene.deadLetters()).toBe(0);
  });

  test('is not begun again after push was switched off and on while it was sent', async () => {
    await inFlight();
    await scene.applyBot({ revision: 2 });
    await scene.applyBot({ push: true, revision: 3 });
    expect(idsIn(await claim({ name: 'b1' }))).toEqual([]);
  });

  test('is begun again if the reply to its claim was lost, or it was given back', async () => {
    await inFlight();
    const { fencingToken: token } = await claimed({ name: 'a1' });
    expect(idsIn(await claim({ token, name: 'a2' }))).toEqual(['rc1']);
    const returned: Settled[] = [{ lane: 'c:5', id: 'rc1', outcome: 'returned' }];
    expect(idsIn(await claim({ token, name: 'a3', settled: returned }))).toEqual(['rc1']);
  });

  test('is refused while its chat is held', async () => {
    await scene.applyBot({ push: true });
    const held = { registrationId: REGISTRATION, botId: BOT, conversation: '5', forMs: 60_000, by: 'account:ada' };
    await scripts.holdChat(scene.commands, scene.keys, held);
    expect(await replay()).toEqual({ outcome: 'HELD' });
  });
});
