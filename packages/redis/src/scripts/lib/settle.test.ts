import {
  BOT,
  type LuaScene,
  luaScene,
  PUSH_FIELDS,
  REGISTRATION,
  type Settled,
  writtenNow,
} from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

/** How many units wait in lanes then; there were five. */
const settle = (unit: Partial<Settled> & Pick<Settled, 'outcome'>) => {
  const body = `-- @keys from turn
-- @args from settle
local turn = openTurn('push', ${PUSH_FIELDS}, KEYS, ARGV)
turn.pending = 5
settleUnits(turn, ARGV, span(settled))
return turn.pending`;
  const settled = [{ lane: 'c:5', id: '1', ...unit }];
  return scene.evaluate('settle', body, scene.turnKeys('push'), scene.claimArguments('push', { name: 'a1', settled }));
};
const lane = async () => ({
  waits: await scene.commands.lrange(scene.keys.lane('c:5'), 0, -1),
  dueMs: await scene.commands.zscore(scene.keys.lanes, 'c:5'),
  work: await scene.commands.hgetall(scene.keys.work),
  inFlight: await scene.commands.hexists(scene.keys.inFlight, 'c:5'),
});
const claimed = async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1, 2]);
  await scene.commands.rpush(scene.keys.lane('c:5'), '1', '2');
  await scene.commands.zadd(scene.keys.lanes, 9e15, 'c:5');
  await scene.commands.hset(scene.keys.inFlight, 'c:5', 'a0');
  await scene.commands.hset(scene.keys.work, 's:1', 1);
};

test.each(['delivered', 'dropped'] as const)(
  'what was %s leaves its lane, and the next one is due',
  async (outcome) => {
    await claimed();
    expect(await settle({ outcome })).toBe(4);
    expect(await lane()).toEqual({ waits: ['2'], dueMs: writtenNow(), work: {}, inFlight: 0 });
  },
);

test('all members of an album leave with it, and the lane with the last of them', async () => {
  await claimed();
  expect(await settle({ members: 2, outcome: 'delivered' })).toBe(3);
  expect(await lane()).toEqual({ waits: [], dueMs: null, work: {}, inFlight: 0 });
});

test('what is not at the head of its lane leaves the one that is in flight', async () => {
  await claimed();
  await settle({ id: '9', outcome: 'delivered' });
  expect(await lane()).toEqual({ waits: ['1', '2'], dueMs: '9000000000000000', work: { 's:1': '1' }, inFlight: 1 });
});

test('what is to be tried again keeps its record, and no more counts as begun', async () => {
  await claimed();
  await settle({ outcome: 'retry', dueInMs: 60_000, json: '{"attempts":1}' });
  const work = { 'r:1': '{"attempts":1}' };
  expect(await lane()).toEqual({ waits: ['1', '2'], dueMs: writtenNow(60_000), work, inFlight: 0 });
});

test('what only waits keeps the record that it has, and counts as no retry', async () => {
  await claimed();
  await scene.commands.hset(scene.keys.work, 'r:1', '{"attempts":1}');
  await settle({ outcome: 'waits', dueInMs: 60_000 });
  const work = { 'r:1': '{"attempts":1}' };
  expect(await lane()).toEqual({ waits: ['1', '2'], dueMs: writtenNow(60_000), work, inFlight: 0 });
});

test('what crashed stays begun, and what was returned does not', async () => {
  await claimed();
  await settle({ outcome: 'crashed', dueInMs: 60_000 });
  expect(await lane()).toMatchObject({ dueMs: writtenNow(60_000), work: { 's:1': '1' } });
  await settle({ outcome: 'returned' });
  expect(await lane()).toMatchObject({ dueMs: writtenNow(), work: { 's:1': '0' } });
});

test('what is dead becomes a dead letter of its turn', async () => {
  await claimed();
  await settle({ outcome: 'dead', json: '{"code":"refused","reason":"500","attempts":3}' });
  const [[, letter] = ['', []]] = await scene.commands.xrange(scene.keys.history, '-', '+');
  expect(letter.slice(0, 8)).toEqual(['t', 'dead', 'b', String(BOT), 'g', REGISTRATION, 'a', writtenNow()]);
});

test('a lane that somebody else went on with is left alone', async () => {
  await claimed();
  await settle({ id: '0', outcome: 'delivered' });
  expect(await lane()).toMatchObject({ waits: ['1', '2'], dueMs: '9000000000000000' });
});
