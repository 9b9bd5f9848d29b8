import { type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { botKeys } from '../keys.ts';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const calls = botKeys(1).modelCalls('live', 20_000);
const take = async (who: string, writer: string | null = null) => {
  const limits = { atMost: 100, share: 1 / 9, keptMs: 60_000 };
  return (await scripts.takeModelCall(scene.commands, { calls }, { who, writer, ...limits })).outcome;
};
/** How many calls who asks as often as possible gets. */
async function takeAll(who: string): Promise<number> {
  let taken = 0;
  while ((await take(who)) === 'TAKEN') taken += 1;
  return taken;
}

test('whoever asks gets a tenth of what is left, so that few never use all of it up', async () => {
  expect(await takeAll('one')).toBe(10);
  expect(await take('one')).toBe('OWN_USED');
  expect(await takeAll('two')).toBe(9);
  for (let other = 0; other < 8; other += 1) await takeAll(`other ${other}`);
  expect(await take('somebody new')).toBe('TAKEN');
  expect(await scene.commands.pttl(calls)).toBeGreaterThan(0);
});

test('no call is left once all are taken', async () => {
  for (let who = 0; who < 100; who += 1) expect(await take(`${who}`)).toBe('TAKEN');
  expect(await take('one more')).toBe('NONE_LEFT');
  expect(await scene.commands.hget(calls, 'all')).toBe('100');
});

test('somebody who writes in many chats has one share', async () => {
  for (let chat = 0; chat < 10; chat += 1) expect(await take(`chat ${chat}`, 'mallory')).toBe('TAKEN');
  expect(await take('chat 10', 'mallory')).toBe('OWN_USED');
  expect(await take('chat 10', 'ada')).toBe('TAKEN');
});
