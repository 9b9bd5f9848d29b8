import { type LuaScene, luaScene, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { botKeys } from '../keys.ts';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const { decisions, choice } = botKeys(1);
const note = (decision: string, changes: { registrationId?: string; chosen?: string | null } = {}) =>
  scripts.noteDecision(
    scene.commands,
    { ...scene.keys, decisions, choice: choice(5) },
    {
      registrationId: REGISTRATION,
      botId: 1,
      decision,
      event: `{"event":${decision}}`,
      kept: 2,
      keptMs: 60_000,
      chosen: null,
      holdsMs: 30_000,
      ...changes,
    },
  );

test('keeps the newest decisions, for a while', async () => {
  await scene.applyBot({ push: true });
  for (const decision of ['1', '2', '3']) expect(await note(decision)).toBe(true);
  expect(await scene.commands.lrange(decisions, 0, -1)).toEqual(['3', '2']);
  expect(await scene.commands.pttl(decisions)).toBeGreaterThan(0);
});

test('keeps a choice for its chat, and leaves the one that holds when there is none', async () => {
  await scene.applyBot({ push: true });
  await note('1', { chosen: 'bot 9' });
  await note('2');
  expect(await scene.commands.get(choice(5))).toBe('bot 9');
  expect(await scene.commands.pttl(choice(5))).toBeLessThanOrEqual(30_000);
});

test('does nothing for a bot that is gone, or registered anew', async () => {
  expect(await note('1')).toBe(false);
  await scene.applyBot({ push: true });
  expect(await note('1', { registrationId: 'another', chosen: 'bot 9' })).toBe(false);
  expect(await scene.commands.exists(decisions, choice(5))).toBe(0);
});

test('is seen by whoever watches the bot', async () => {
  await scene.applyBot({ push: true });
  await note('1');
  expect(await scene.commands.exists(scene.keys.live)).toBe(0);
  await scripts.watchBot(scene.commands, scene.keys, {
    registrationId: REGISTRATION,
    forMs: 15_000,
    keptMs: 30_000,
    lifeMs: 60_000,
  });
  await note('2');
  const [newest] = await scene.commands.xrevrange(scene.keys.live, '+', '-', 'COUNT', 1);
  expect(newest?.[1]).toEqual(['t', 'route', 'e', '{"event":2}']);
});
