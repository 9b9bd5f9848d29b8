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

test('ids begin above those that Postgres has reserved, where the state does not know of them', async () => {
  const { state } = scene.keys;
  await scene.commands.hset(state, { last: 5, reserved: 10 });
  const beginAbove = (id: number) => scene.evaluate('ids', 'beginAbove(KEYS[1], tonumber(ARGV[1]))', [state], [id]);
  await beginAbove(10);
  expect(await scene.commands.hgetall(state)).toEqual({ last: '5', reserved: '10' });
  await beginAbove(20);
  expect(await scene.commands.hgetall(state)).toEqual({ last: '20', reserved: '20' });
});
