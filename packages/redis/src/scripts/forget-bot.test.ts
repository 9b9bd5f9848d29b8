import { BOT, type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('leaves nothing of a bot but its seen ids and its activity, and nothing pending', async () => {
  const { keys } = scene;
  await scene.applyBot({ push: true, rules: true });
  await scene.accept([1]);
  await scene.commands.rpush(keys.rulesLane('c:5'), '1');
  await scene.commands.zadd(keys.rulesLanes, 1, 'c:5');
  await scripts.forgetBot(scene.commands, keys, {
    botId: BOT,
    lanePrefix: keys.lane(''),
    rulesLanePrefix: keys.rulesLane(''),
    programPrefix: keys.programPrefix,
  });
  const counts = await Promise.all(Object.values(scene.activity).map((prefix) => scene.commands.keys(`${prefix}*`)));
  expect((await scene.commands.keys('*')).sort()).toEqual([...counts.flat(), keys.seen(0)].sort());
});
