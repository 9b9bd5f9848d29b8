import { BOT, type LuaScene, luaScene, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('keeps progress and hits of the owner, and links also of one that was replaced', async () => {
  const { state, rulesWork, history } = scene.keys;
  const note = (fencingToken: number, progress: string, ...records: string[]) =>
    scripts.noteRouted(scene.commands, scene.keys, {
      ...{ registrationId: REGISTRATION, fencingToken, botId: BOT, hits: '5 1' },
      ...{ inLane: '7', progress, records },
    });
  expect(await note(1, '{}')).toEqual({ outcome: 'GONE' });
  await scene.applyBot({ rules: true });
  await scene.commands.hset(state, 'rulesFencingToken', 2);
  expect([await note(2, 'owner', '2', 'l', '{}'), await note(1, 'late', '2', 'l', '{}')]).toEqual([
    { outcome: 'OK', wakeHistory: true },
    { outcome: 'FENCED', wakeHistory: false },
  ]);
  expect(await scene.commands.hget(rulesWork, 'p:7')).toBe('owner');
  const records = await scene.commands.xrange(history, '-', '+');
  const hits = ['t', 'hits', 'b', String(BOT), 'g', REGISTRATION, 'a', expect.any(String), 'h', '5 1'];
  expect(records.map(([, fields]) => fields)).toEqual([['l', '{}'], hits, ['l', '{}']]);
});
