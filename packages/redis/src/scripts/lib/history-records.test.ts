import { type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('adds records of any length, in their order', async () => {
  const { history } = scene.keys;
  const body = `-- @keys history
-- @args
--   ...records: text
addHistoryRecords(history, ARGV, span(records))`;
  const add = (...records: string[]) => scene.evaluate('history-records', body, { history }, { records });
  await add('2', 't', 'link', '4', 't', 'call', 'm', '');
  await add();
  const records = await scene.commands.xrange(history, '-', '+');
  expect(records.map(([, record]) => record)).toEqual([
    ['t', 'link'],
    ['t', 'call', 'm', ''],
  ]);
});
