import { BOT, type LuaScene, luaScene, NOW_MS, PUSH_FIELDS } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { SettleArgs } from '../../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

/** The answer of every claim, without its outcome. */
const close = async (found: string, end: SettleArgs['ending']) => {
  const body = `-- @keys from turn
-- @args from turn
local turn = openTurn('push', ${PUSH_FIELDS}, KEYS, ARGV)
local found = { fencingToken = 1, active = true, cursor = 3, more = false, openUntil = 0, answer = {}, units = {} }
${found}
return closeTurn(turn, found)`;
  const args = scene.claimArguments('push', { name: 'last', end });
  const reply = (await scene.evaluate('close-turn', body, scene.turnKeys('push'), args)) as unknown[];
  const [, fencingToken, lookInMs, wakeHistory, ended, held, units] = reply;
  return { fencingToken, lookInMs, wakeHistory, ended: ended === 1, held: held === 1, units };
};

test('the last claim takes the pending turn away, unless something waits', async () => {
  const { keys, commands } = scene;
  await scene.applyBot({ push: true });
  await commands.zadd(keys.pendingTurns, NOW_MS, `${BOT}:push`);
  await commands.zadd(keys.lanes, NOW_MS + 3_600_000, 'c:5');
  await commands.rpush(keys.lane('c:5'), '3');
  const closed = {
    fencingToken: 1,
    lookInMs: expect.any(Number),
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
  const closed = await close('found.openUntil = turn.now + 9', null);
  expect(closed).toMatchObject({ fencingToken: 1, lookInMs: 9, ended: false });
  expect(await scene.commands.hget(scene.keys.state, 'pushFloor')).toBe('1');
});

test('with many lanes the floor rises along the log, a part in each call, up to what waits', async () => {
  await scene.applyBot({ push: true });
  const { keys, commands } = scene;
  const [delivered, last] = [1_500, 2_700];
  const ids = Array.from({ length: last }, (_, at) => at + 1);
  const waiting = ids.slice(delivered);
  const fields = (id: number) => [
    'u',
    '{}',
    'k',
    'message',
    'l',
    `c:${id}`,
    't',
    NOW_MS,
    'x',
    NOW_MS + 3_600_000,
    'n',
    id,
  ];
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
