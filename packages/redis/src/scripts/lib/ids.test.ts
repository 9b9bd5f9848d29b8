import { type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('the run id is the server’s', async () => {
  const info = await scene.commands.info('server');
  expect(info).toContain(`run_id:${await scene.evaluate('ids', 'return runId()')}\r\n`);
});

test('ids begin above those that Postgres has reserved, where the state is new or of an earlier run', async () => {
  const { state } = scene.keys;
  await scene.commands.hset(state, { lastId: 5, reserved: 10, run: 'earlier' });
  const beginAbove = (id: number, isNew = false) =>
    scene.evaluate('ids', `beginAbove(state, id, ${isNew})`, { state }, { id });
  const known = () => scene.commands.hmget(state, 'lastId', 'reserved');
  await beginAbove(10);
  expect(await known()).toEqual(['5', '10']);
  await beginAbove(20);
  expect(await known()).toEqual(['20', '20']);
  await scene.commands.hset(state, 'run', String(await scene.evaluate('ids', 'return runId()')));
  await beginAbove(30);
  expect(await known()).toEqual(['20', '30']);
  await beginAbove(40, true);
  expect(await known()).toEqual(['40', '40']);
});
