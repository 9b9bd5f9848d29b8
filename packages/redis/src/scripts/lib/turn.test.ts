import { type LuaScene, luaScene, PUSH_FIELDS, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const OWN = `-- @keys from turn
-- @args from turn
local turn = openTurn('push', ${PUSH_FIELDS}, KEYS, ARGV)
-- @read s <- turn.state: registrationId, on, push as isWanted, pushFencingToken as fencingToken, pushClaim as claim
local token, refusal = ownTurn(turn, s)
writeState(turn.state, turn.changes)
return { token or refusal, turn.repeated and 1 or 0 }`;
const own = (claim: { token?: number; name: string; sent?: number }, registrationId = REGISTRATION) =>
  scene.evaluate('turn', OWN, scene.turnKeys('push'), { ...scene.claimArguments('push', claim), registrationId });
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
