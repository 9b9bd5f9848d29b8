import { type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { floodKeys } from '../call-keys.ts';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const MINUTE_MS = 60_000;
const note = (name: string, forMs = MINUTE_MS, most = 100) =>
  scripts.noteFlood(scene.commands, floodKeys, { name, forMs, most });
const end = (name: string, number: number) => scripts.endFlood(scene.commands, floodKeys, { name, number });
const read = (most = 100) => scripts.readFloods(scene.commands, floodKeys, { most });
const names = async () => (await read()).floods.map(({ name }) => name).sort();

test('a flood is read with how long it lasts, and numbers of 429s rise', async () => {
  const [first, second] = [await note('1 send 5'), await note('2 other ')];
  expect(second).toBeGreaterThan(first);
  const { newest, floods } = await read();
  expect(newest).toBe(second);
  expect(floods.map(({ name, number }) => [name, number])).toEqual([
    ['1 send 5', first],
    ['2 other ', second],
  ]);
  for (const { leftMs, agedMs } of floods) {
    expect(leftMs).toBeGreaterThan(MINUTE_MS - 10_000);
    expect(leftMs).toBeLessThanOrEqual(MINUTE_MS);
    expect(agedMs).toBeLessThan(10_000);
  }
});

test('a later 429 prolongs it, an earlier wait does not shorten it, and it goes on being the same one', async () => {
  await note('1 send 5');
  await note('1 send 5', 5 * MINUTE_MS);
  const number = await note('1 send 5', 1000);
  const { floods } = await read();
  expect(floods).toHaveLength(1);
  expect(floods[0]!.number).toBe(number);
  expect(floods[0]!.leftMs).toBeGreaterThan(4 * MINUTE_MS);
});

test('it ends for whoever knows its last 429, and for nobody else', async () => {
  const first = await note('1 send 5');
  const second = await note('1 send 5');
  expect(await end('1 send 5', first)).toBe(false);
  expect(await names()).toEqual(['1 send 5']);
  expect(await end('1 send 5', second)).toBe(true);
  expect(await end('1 send 5', second)).toBe(false);
  expect(await names()).toEqual([]);
  expect((await read()).newest).toBe(second);
});

test('one that is over is not read, and leaves nothing but the counter', async () => {
  await note('1 send 5', 1);
  await waitFor(async () => (await names()).length === 0);
  await note('2 send 5', 1);
  await waitFor(async () => (await scene.commands.exists(floodKeys.floods, floodKeys.noted)) === 0);
  expect(await scene.commands.exists(floodKeys.numbers)).toBe(1);
});

test('of too many, those that end first are forgotten', async () => {
  await note('1 send 1', 5 * MINUTE_MS, 2);
  await note('1 send 2', 2 * MINUTE_MS, 2);
  await note('1 send 3', 3 * MINUTE_MS, 2);
  expect(await names()).toEqual(['1 send 1', '1 send 3']);
  expect(await scene.commands.hlen(floodKeys.noted)).toBe(2);
  expect((await read(1)).floods.map(({ name }) => name)).toEqual(['1 send 3']);
});
