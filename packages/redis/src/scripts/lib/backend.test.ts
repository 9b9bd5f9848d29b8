import { type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

/** Files what is new after the cursor, except for the ids in `unwanted`. */
const file = async (cursor: number, count: number, unwanted: number[] = []) => {
  const body = `-- @keys from turn
-- @args from settle
--   known: text, unwanted: text
local turn = openTurn('push', BACKEND_FIELDS, KEYS, ARGV)
local cursor, more = fileNewEntries(turn, cjson.decode(known), function(entry)
  return not string.find(unwanted, ',' .. idTextOf(entry) .. ',', 1, true)
end)
return { cursor, more and 1 or 0, turn.pending, turn.changes }`;
  const lastId = Number(await scene.commands.hget(scene.keys.state, 'lastId'));
  const known = JSON.stringify({ lastId, pushCursor: cursor, pushCursorCount: count });
  const args = { ...scene.claimArguments('push', { name: 'a1' }), known, unwanted: `,${unwanted.join(',')},` };
  return scene.evaluate('backend', body, scene.turnKeys('push'), args);
};

test('new entries that are wanted go into lanes, and the cursor passes the others too', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1, 2, 3, 4]);
  const [cursor, more, pending] = (await file(1, 1, [3, 4])) as [number, number, number];
  expect({ cursor, more, pending }).toEqual({ cursor: 4, more: 0, pending: 1 });
  expect(await scene.commands.lrange(scene.keys.lane('c:5'), 0, -1)).toEqual(['2']);
});

test('a call files 200 entries at most, and says that there are more', async () => {
  await scene.applyBot({ push: true });
  await scene.accept(Array.from({ length: 201 }, (_, at) => at + 1));
  const [cursor, more, pending, changes] = (await file(0, 0)) as [number, number, number, unknown[]];
  expect({ cursor, more, pending }).toEqual({ cursor: 200, more: 1, pending: 200 });
  expect(changes).toEqual(['pushCursor', '200', 'pushCursorCount', '200']);
  expect(await file(200, 200)).toMatchObject([201, 0, 1, expect.anything()]);
});

test('without new entries the cursor stays and nothing is written', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1]);
  expect(await file(1, 1)).toEqual([1, 0, 0, []]);
});
