import { BOT, type LuaScene, luaScene, NOW_MS } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { botKeys, programKeys, SHARDS } from '../keys.ts';
import { scripts } from '../script-calls.ts';

const NEIGHBOUR = BOT + SHARDS;

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const read = (programs: string) => scripts.readProgramTrouble(scene.commands, scene.keys, { programs });
const set = (program: number, fields: Record<string, number>, bot = BOT) =>
  scene.commands.hset(programKeys(bot, program).state, fields);

test('says of programs of several bots whose backend fails, which are parked, and which are neither', async () => {
  await set(1, { push: 1, failingSince: NOW_MS });
  await set(2, { push: 1, failingSince: NOW_MS, openUntil: NOW_MS + 60_000 });
  await set(3, { push: 1, failingSince: NOW_MS, parkedAt: NOW_MS });
  await set(4, { push: 1 });
  await set(6, { push: 1, failingSince: NOW_MS }, NEIGHBOUR);
  expect(await read(`${BOT}:1 ${BOT}:2 ${BOT}:3 ${BOT}:4 ${BOT}:5 ${NEIGHBOUR}:6 ${NEIGHBOUR}:1`)).toBe('ffp--f-');
});

test('a program that pulls is parked until its next poll, and the failures of its time as a pushed one do not count', async () => {
  await set(1, { parkedAt: NOW_MS, polledAt: NOW_MS - 60_000 });
  await set(2, { push: 0, failingSince: NOW_MS });
  const { consumers } = botKeys(BOT);
  await scene.commands.hset(consumers, 'program:1', '7 0');
  expect(await read(`${BOT}:1 ${BOT}:2`)).toBe('p-');
  await scene.commands.hset(consumers, 'program:1', `7 ${NOW_MS + 1}`);
  expect(await read(`${BOT}:1 ${BOT}:2`)).toBe('--');
});
