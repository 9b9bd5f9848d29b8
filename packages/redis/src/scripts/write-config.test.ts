import { BOT, type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { configKeys } from '../keys.ts';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const write = (revision: number | null, sealed: string) =>
  scripts.writeConfig(scene.commands, configKeys, { botId: BOT, revision, sealed });
const reseal = (known: string, sealed: string) =>
  scripts.resealConfig(scene.commands, configKeys, { botId: BOT, known, sealed });
const stored = () => scene.commands.hget('{config}:bots', String(BOT));

test('the newest revision stays, and every change raises a version that is there', async () => {
  expect([await write(2, 'two'), await write(1, 'one')]).toEqual([true, false]);
  expect([await stored(), await scene.commands.exists('{config}:version')]).toEqual(['2 two', 0]);
  await scene.commands.set('{config}:version', 10);
  expect([await write(null, ''), await write(null, '')]).toEqual([true, false]);
  expect([await stored(), await scene.commands.zscore('{config}:changes', String(BOT))]).toEqual([null, '11']);
});

test('what was sealed anew replaces only what was read', async () => {
  await write(2, 'two');
  expect([await reseal('2 other', '2 new'), await reseal('2 two', '2 new'), await stored()]).toEqual([
    false,
    true,
    '2 new',
  ]);
});
