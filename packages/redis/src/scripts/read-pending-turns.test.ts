import { BOT, type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { HELD_TURN_PREFIX } from '../keys.ts';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const FOR_MS = 3_600_000;
const [PUSH, RULES] = [`${BOT}:push`, `${BOT}:rules`];
const read = () => scripts.readPendingTurns(scene.commands, scene.keys, { forMs: FOR_MS });

test('says which turns are held, and which are pending for so long', async () => {
  const { pendingTurns } = scene.keys;
  await scene.commands.zadd(pendingTurns, Date.now() + FOR_MS, `${HELD_TURN_PREFIX}${PUSH}`, Date.now(), PUSH);
  await scene.commands.zadd(pendingTurns, Date.now(), RULES);
  expect(await read()).toEqual({ outcome: 'OK', held: [PUSH], late: [] });
  await scene.passMs(FOR_MS);
  await scene.commands.zadd(pendingTurns, Date.now(), RULES);
  expect(await read()).toEqual({ outcome: 'OK', held: [PUSH], late: [PUSH] });
});

test('a turn that says it is served is pending since then, and none is made by it', async () => {
  const renew = (turn: string) => scripts.renewPendingTurn(scene.commands, scene.keys, { turn });
  await scene.commands.zadd(scene.keys.pendingTurns, 1, 'history');
  expect((await read()).late).toEqual(['history']);
  expect([await renew('history'), await renew(PUSH)]).toEqual([true, false]);
  expect(await read()).toEqual({ outcome: 'OK', held: [], late: [] });
});
