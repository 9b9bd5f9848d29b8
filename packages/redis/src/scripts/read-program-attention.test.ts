import { BOT, DAY_MS, type LuaScene, luaScene, NOW_MS } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { botKeys, programKeys, SHARDS } from '../keys.ts';
import { scripts } from '../script-calls.ts';

const NEIGHBOUR = BOT + SHARDS;
const MINUTE_MS = 60_000;

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

/** `silentAfterMs` of each program. */
const read = async (programs: string[], silentAfterMs = 0, kinds = '') => {
  const args = {
    programs: programs.map((one) => `${one}:${silentAfterMs}:${kinds}`).join(' '),
    defaultKinds: '!,poll,',
  };
  return (await scripts.readProgramAttention(scene.commands, scene.keys, args)).split(' ');
};
const set = (program: number, fields: Record<string, number>, bot = BOT) =>
  scene.commands.hset(programKeys(bot, program).state, fields);

test('says of programs of several bots whose backend fails and what waits, which are parked, and which are neither', async () => {
  await scene.commands.hset(botKeys(BOT).state, 'allowedCount', 9);
  await set(1, { push: 1, failingSince: NOW_MS - 5, pushCursorCount: 7, pushPending: 3 });
  await set(2, { push: 1, failingSince: NOW_MS - 6, openUntil: NOW_MS + MINUTE_MS, pushCursorCount: 9 });
  await set(3, { push: 1, failingSince: NOW_MS, parkedAt: NOW_MS - 7 });
  await set(4, { push: 1 });
  await set(6, { push: 1, failingSince: NOW_MS }, NEIGHBOUR);
  const asked = [`${BOT}:1`, `${BOT}:2`, `${BOT}:3`, `${BOT}:4`, `${BOT}:5`, `${NEIGHBOUR}:6`, `${NEIGHBOUR}:1`];
  expect(await read(asked)).toEqual([
    `f${NOW_MS - 5}:5`,
    `f${NOW_MS - 6}:0`,
    `p${NOW_MS - 7}:0`,
    ...['-', '-', `f${NOW_MS}:0`, '-'],
  ]);
});

test('a program that pulls is parked until its next poll, and the failures of its time as a pushed one do not count', async () => {
  await set(1, { parkedAt: NOW_MS, polledAt: NOW_MS - MINUTE_MS });
  await set(2, { push: 0, failingSince: NOW_MS });
  const { consumers } = botKeys(BOT);
  await scene.commands.hset(consumers, 'program:1', '7 0');
  expect(await read([`${BOT}:1`, `${BOT}:2`])).toEqual([`p${NOW_MS}:0`, '-']);
  await scene.commands.hset(consumers, 'program:1', `7 ${NOW_MS + 1}`);
  expect(await read([`${BOT}:1`, `${BOT}:2`])).toEqual(['-', '-']);
});

test('a program that pulls is silent when updates wait and it has not polled for its time', async () => {
  await scene.applyBot({ programs: [1] });
  await scene.accept([1, 2, 3]);
  const { consumers } = botKeys(BOT);
  const polledAt = NOW_MS - MINUTE_MS;
  await scene.commands.hset(consumers, 'program:1', `1 ${polledAt}`);
  expect(await read([`${BOT}:1`], MINUTE_MS)).toEqual([`s${polledAt}:2`]);
  expect(await read([`${BOT}:1`], 60 * MINUTE_MS)).toEqual(['-']);
  expect(await read([`${BOT}:1`], 0)).toEqual(['-']);
  await scene.commands.hset(consumers, 'program:1', `3 ${polledAt}`);
  expect(await read([`${BOT}:1`], MINUTE_MS)).toEqual(['-']);
});

test('what waits for others does not make a program silent: neither by kind, nor by a filter, nor what expired', async () => {
  await scene.applyBot({ programs: [1, 5], filters: 'b' });
  await scene.accept([1, 2], 'c:5', 'message', { filters: 'b', marks: [',1,', '=5'] });
  await scene.accept([3], 'c:5', 'poll', { filters: 'b', marks: [''] });
  const polledAt = NOW_MS - 60 * MINUTE_MS;
  const { consumers } = botKeys(BOT);
  for (const id of [1, 5]) await scene.commands.hset(consumers, `program:${id}`, `0 ${polledAt}`);
  const silent = `s${polledAt}:3`;
  expect(await read([`${BOT}:1`, `${BOT}:5`], MINUTE_MS, ',message,')).toEqual(['-', silent]);
  expect(await read([`${BOT}:1`], MINUTE_MS, '!,message,')).toEqual([silent]);
  expect(await read([`${BOT}:1`, `${BOT}:5`], MINUTE_MS, 'd')).toEqual(['-', silent]);
  await scene.passMs(DAY_MS);
  expect(await read([`${BOT}:1`, `${BOT}:5`], MINUTE_MS)).toEqual(['-', '-']);
});

test('a program that nobody polls is silent again among very many updates for others, whatever is behind them', async () => {
  await scene.applyBot({ programs: [1], filters: 'b' });
  const ids = Array.from({ length: 600 }, (_, at) => at + 1);
  for (let from = 0; from < ids.length; from += 200) {
    const some = ids.slice(from, from + 200);
    await scene.accept(some, 'c:5', 'message', { filters: 'b', marks: some.map(() => ',1,') });
  }
  const polledAt = NOW_MS - MINUTE_MS;
  await scene.commands.hset(botKeys(BOT).consumers, 'program:1', `200 ${polledAt}`);
  expect(await read([`${BOT}:1`], MINUTE_MS)).toEqual(['-']);
  await scene.commands.hset(botKeys(BOT).consumers, 'program:1', `0 ${polledAt}`);
  expect(await read([`${BOT}:1`], MINUTE_MS)).toEqual([`s${polledAt}:600`]);
});

test('a program is not silent for the time in which its bot was off', async () => {
  await scene.applyBot({ programs: [1] });
  await scene.accept([1]);
  const polledAt = NOW_MS - 2 * 60 * MINUTE_MS;
  await scene.commands.hset(botKeys(BOT).consumers, 'program:1', `0 ${polledAt}`);
  await scene.commands.hset(botKeys(BOT).state, 'servedSince', NOW_MS - MINUTE_MS);
  expect(await read([`${BOT}:1`], 60 * MINUTE_MS)).toEqual(['-']);
  expect(await read([`${BOT}:1`], MINUTE_MS)).toEqual([`s${polledAt}:1`]);
});
