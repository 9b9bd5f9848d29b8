import { DAY_MS, type LuaScene, luaScene, PUSH_FIELDS, writtenNow } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const claim = async ({ limit = 10, suspect = '', gatherMs = 0 } = {}) => {
  const body = `-- @keys from turn
-- @args from settle
--   suspect: text, gatherMs: number
local turn = openTurn('push', ${PUSH_FIELDS}, KEYS, ARGV)
local units = claimDue(turn, suspect, gatherMs)
writeLanes(turn)
return { units, turn.halted and 1 or 0, turn.changes }`;
  const args = { ...scene.claimArguments('push', { name: 'a1', limit }), suspect, gatherMs };
  const reply = await scene.evaluate('claim', body, scene.turnKeys('push'), args);
  const [units, halted, changes] = reply as [(string | number)[][], number, string[]];
  return { ids: units.map((unit) => unit.filter((_, at) => at % 7 === 3)), units, halted, changes };
};
const file = async (lane: string, ...ids: string[]) => {
  await scene.commands.rpush(scene.keys.lane(lane), ...ids);
  await scene.commands.zadd(scene.keys.lanes, 0, lane);
};

test('one unit of each lane that is due, and no more than were asked for', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1, 2, 3]);
  await file('c:5', '1', '2');
  await file('c:6', '3');
  await scene.commands.hset(scene.keys.work, { 'r:1': 'record', 'p:1': 'progress' });
  const { units } = await claim({ limit: 1 });
  const [unit = []] = units;
  const [ageMs, livesMs] = unit.splice(7, 2).map(Number);
  expect(unit).toEqual(['c:5', 'record', 'progress', '1', 1, '{"update_id":1}', 'message', '']);
  expect([ageMs! + livesMs!, ageMs! >= 0]).toEqual([DAY_MS, true]);
  expect((await claim()).ids).toEqual([['3']]);
  expect((await claim()).ids).toEqual([]);
  expect(await scene.commands.hgetall(scene.keys.inFlight)).toEqual({
    'c:5': scene.claimName('a1'),
    'c:6': scene.claimName('a1', 2),
  });
});

test('an album is claimed whole, once no member has come for a moment', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1, 2, 3]);
  await file('c:5', '1', '2');
  await scene.commands.hset(scene.keys.work, { 'g:1': 'album', 'g:2': 'album' });
  expect((await claim({ gatherMs: 60_000 })).ids).toEqual([]);
  expect(await scene.commands.zscore(scene.keys.lanes, 'c:5')).toEqual(writtenNow(60_000));
  await scene.passMs(60_000);
  expect((await claim({ gatherMs: 60_000 })).ids).toEqual([['1', '2']]);
});

test('what owners died with twice is claimed with nothing beside it, then given up', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1, 2]);
  await file('c:5', '1');
  await file('c:6', '2');
  await scene.commands.hset(scene.keys.work, 's:1', 2);
  expect(await claim()).toMatchObject({ ids: [['1']], halted: 1, changes: ['pushSuspect', 'c:5'] });
  expect(await claim({ suspect: 'c:5' })).toMatchObject({ ids: [], halted: 1 });
  await scene.commands.del(scene.keys.inFlight);
  await scene.commands.zadd(scene.keys.lanes, 0, 'c:5');
  expect(await claim({ suspect: 'c:5' })).toMatchObject({ ids: [['2']], changes: ['pushSuspect', ''] });
  expect(await scene.commands.xlen(scene.keys.history)).toBe(1);
});

test('what has expired is given up with what is known of its tries', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1]);
  await file('c:5', '1');
  await scene.commands.hset(scene.keys.work, 'r:1', '{"attempts":2,"lastError":"500","lastStatus":500}');
  await scene.passMs(DAY_MS);
  expect((await claim()).ids).toEqual([]);
  const [[, letter] = ['', []]] = await scene.commands.xrange(scene.keys.history, '-', '+');
  expect(letter).toEqual(expect.arrayContaining(['expired before it could be delivered (500)', '2', '500', 'expired']));
});
