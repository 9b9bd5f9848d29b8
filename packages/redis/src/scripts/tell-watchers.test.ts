import { type LuaScene, luaScene, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const tell = (registrationId = REGISTRATION) =>
  scripts.tellWatchers(scene.commands, scene.keys, { registrationId, botId: 1, kind: 'broadcast', event: '{"id":5}' });
const watch = () =>
  scripts.watchBot(scene.commands, scene.keys, {
    registrationId: REGISTRATION,
    ...{ forMs: 15_000, keptMs: 30_000, lifeMs: 60_000 },
  });

test('writes nothing while nobody watches', async () => {
  await scene.applyBot({ push: true });
  expect(await tell()).toBe(false);
  expect(await scene.commands.exists(scene.keys.live)).toBe(0);
});

test('whoever watches the bot gets the event', async () => {
  await scene.applyBot({ push: true });
  await watch();
  expect(await tell()).toBe(true);
  const [newest] = await scene.commands.xrevrange(scene.keys.live, '+', '-', 'COUNT', 1);
  expect(newest?.[1]).toEqual(['t', 'broadcast', 'e', '{"id":5}']);
});

test('says nothing of a bot that was registered anew', async () => {
  await scene.applyBot({ push: true });
  await watch();
  expect(await tell('another')).toBe(false);
});
