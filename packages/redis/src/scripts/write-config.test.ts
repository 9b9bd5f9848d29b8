import { BOT, type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const KEYS = ['{config}:bots', '{config}:changes', '{config}:version'];
const write = (revision: number | '', sealed: string) => scene.run('write-config', KEYS, [BOT, revision, sealed]);
const reseal = (was: string, is: string) => scene.run('reseal-config', KEYS.slice(0, 1), [BOT, was, is]);
const stored = () => scene.commands.hget('{config}:bots', String(BOT));

test('the newest revision stays, and every change raises a version that is there', async () => {
  expect([await write(2, 'two'), await write(1, 'one')]).toEqual([1, 0]);
  expect([await stored(), await scene.commands.exists('{config}:version')]).toEqual(['2 two', 0]);
  await scene.commands.set('{config}:version', 10);
  expect([await write('', ''), await write('', '')]).toEqual([1, 0]);
  expect([await stored(), await scene.commands.zscore('{config}:changes', String(BOT))]).toEqual([null, '11']);
});

test('what was sealed anew replaces only what was read', async () => {
  await write(2, 'two');
  expect([await reseal('2 other', '2 new'), await reseal('2 two', '2 new'), await stored()]).toEqual([0, 1, '2 new']);
});
