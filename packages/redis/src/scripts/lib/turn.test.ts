import { BOT, type LuaScene, luaScene, NOW_MS, PUSH_FIELDS, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { SettleArgs } from '../../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const HEADER = '-- @keys from turn\n-- @args from turn\n';
const OWN = `${HEADER}local turn = openTurn('push', ${PUSH_FIELDS}, KEYS, ARGV)
-- @read s <- turn.state: registrationId, on, push as isWanted, pushFencingToken as fencingToken, pushClaim as claim
local token, refusal = ownTurn(turn, s)
writeState(turn.state, turn.changes)
return { token or refusal, turn.repeated and 1 or 0 }`;
const own = (claim: { token?: number; name: string; sent?: number }, registrationId = REGISTRATION) =>
  scene.evaluate('turn', OWN, scene.turnKeys('push'), { ...scene.claimArguments('push', claim), registrationId });
/** What every claim answers, without its outcome. */
const close = async (found: string, end: SettleArgs['ending']) => {
  const body = `${HEADER}local turn = openTurn('push', ${PUSH_FIELDS}, KEYS, ARGV)
local found = { fencingToken = 1, active = true, cursor = 3, more = false, openUntil = 0, answer = {}, units = {} }
${found}
return closeTurn(turn, found)`;
  const args = scene.claimArguments('push', { name: 'last', end });
  const reply = (await scene.evaluate('turn', body, scene.turnKeys('push'), args)) as unknown[];
  const [, fencingToken, lookAtMs, wakeHistory, ended, held, units] = reply;
  return { fencingToken, lookAtMs, wakeHistory, ended: ended === 1, held: held === 1, units };
};

test('a turn begins with a higher token, and the one before it is fenced', async () => {
  await scene.applyBot({ push: true });
  expect(await own({ name: 'a1' })).toEqual([1, 0]);
  expect(await own({ token: 1, name: 'a2' })).toEqual([1, 0]);
  expect(await own({ name: 'b1' })).toEqual([2, 0]);
  expect(await own({ token: 1, name: 'a3' })).toEqual(['FENCED', 0]);
});

test('nothing begins for a bot that is gone, registered anew, or pushes no more', async () => {
  expect(await own({ name: 'a1' })).toEqual(['GONE', 0]);
  await scene.applyBot({ pull: true });
  expect(await own({ name: 'a1' }, 'another')).toEqual(['GONE', 0]);
  expect(await own({ name: 'a1' })).toEqual(['OFF', 0]);
});

test('a claim that is asked for again is known, and its units are no tries', async () => {
  await scene.applyBot({ push: true });
  await own({ name: 'a1' });
  await scene.commands.rpush(scene.keys.lane('c:5'), '7');
  await scene.commands.zadd(scene.keys.lanes, 9e15, 'c:5');
  await scene.commands.hset(scene.keys.inFlight, 'c:5', scene.claimName('a1'));
  await scene.commands.hset(scene.keys.work, 's:7', 2);
  expect(await own({ token: 1, name: 'a1' })).toEqual([1, 1]);
  expect(await scene.commands.hget(scene.keys.work, 's:7')).toBe('1');
  expect(await scene.commands.zscore(scene.keys.lanes, 'c:5')).toBe('0');
  expect(await scene.commands.exists(scene.keys.inFlight)).toBe(0);
});

test('a copy of a claim that arrives after a later one changes nothing', async () => {
  await scene.applyBot({ push: true });
  await own({ name: 'a1' });
  await own({ token: 1, name: 'a2', sent: 2 });
  const before = await scene.commands.hgetall(scene.keys.state);
  for (const late of [
    { token: 1, name: 'a2', sent: 2 },
    { token: 1, name: 'a2', sent: 1 },
    { token: 1, name: 'a1', sent: 3 },
    { name: 'a1', sent: 2 },
  ])
    expect(await own(late)).toEqual(['LATE', 0]);
  expect(await scene.commands.hgetall(scene.keys.state)).toEqual(before);
  expect(await own({ token: 1, name: 'a10' })).toEqual([1, 0]);
});

test('the last claim takes the pending turn away, unless something waits', async () => {
  const { keys, commands } = scene;
  await scene.applyBot({ push: true });
  await commands.zadd(keys.pendingTurns, NOW_MS, `${BOT}:push`);
  await commands.zadd(keys.lanes, NOW_MS + 50, 'c:5');
  await commands.rpush(keys.lane('c:5'), '3');
  const closed = {
    fencingToken: 1,
    lookAtMs: String(NOW_MS + 50),
    wakeHistory: 0,
    ended: false,
    held: false,
    units: [],
  };
  expect(await close('', 'idle')).toEqual(closed);
  expect(await commands.zcard(keys.pendingTurns)).toBe(1);
  expect(await close('', 'asleep')).toEqual({ ...closed, ended: true });
  expect(await commands.zcard(keys.pendingTurns)).toBe(0);
});

test('what is due waits for the next probe while the breaker is open, and trimming leaves what waits', async () => {
  await scene.applyBot({ push: true });
  await scene.commands.zadd(scene.keys.lanes, 0, 'c:5');
  await scene.commands.rpush(scene.keys.lane('c:5'), '2');
  expect(await close('found.openUntil = 9', null)).toMatchObject({ fencingToken: 1, lookAtMs: '9', ended: false });
  expect(await scene.commands.hget(scene.keys.state, 'pushFloor')).toBe('1');
});

test('with many lanes the floor rises along the log, a part in each call, up to what waits', async () => {
  await scene.applyBot({ push: true });
  const { keys, commands } = scene;
  const [delivered, last] = [1_500, 2_700];
  const ids = Array.from({ length: last }, (_, at) => at + 1);
  const waiting = ids.slice(delivered);
  const fields = (id: number) => ['u', '{}', 'k', 'message', 'l', `c:${id}`, 't', NOW_MS, 'x', NOW_MS + 1, 'n', id];
  await Promise.all(ids.map((id) => commands.xadd(keys.log, id, ...fields(id), 'm', '')));
  await Promise.all(waiting.map((id) => commands.rpush(keys.lane(`c:${id}`), 'r1', String(id))));
  await commands.zadd(keys.lanes, ...waiting.flatMap((id) => [NOW_MS, `c:${id}`]));
  await commands.hset(keys.state, 'lastId', last);
  const floorAfter = async (calls: number): Promise<number> => {
    for (let call = 0; call < calls; call += 1) await close(`found.cursor = ${last}`, null);
    return Number(await commands.hget(keys.state, 'pushFloor'));
  };
  expect([await floorAfter(1), await floorAfter(1), await floorAfter(2)]).toEqual([1_000, delivered, delivered]);
  expect(await commands.xlen(keys.log)).toBe(waiting.length);
  // Only redriven updates are left in as many lanes.
  await Promise.all(waiting.map((id) => commands.rpop(keys.lane(`c:${id}`))));
  expect(await floorAfter(2)).toBe(last);
});
