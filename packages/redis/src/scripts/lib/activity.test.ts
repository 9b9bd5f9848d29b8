import { activityKeys, storedCounts } from '@flotilla/testing/activity-counts.ts';
import { BOT, type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const HOUR_AT_MS = 1_800_000_000_000;
const count = (atMs: number, ...counts: number[]) =>
  scene.evaluate(
    'activity',
    `countActivity(activityPrefix, shardActivityPrefix, nowMs, ${counts.join(', ')})`,
    {},
    { ...scene.activity, nowMs: atMs },
  );

test('adds up what happens in a minute, for the bot and for its shard', async () => {
  await count(HOUR_AT_MS, 1, 0, 0, 0, 0);
  await count(HOUR_AT_MS + 59_999, 2, 3, 4, 5, 1_000_000_000_000);
  await count(HOUR_AT_MS + 60_000, 0, 1, 0, 0, 0);
  for (const key of activityKeys(BOT, HOUR_AT_MS)) {
    expect(await storedCounts(scene.commands, key, HOUR_AT_MS)).toBe('3 3 4 5 1000000000000');
    expect(await storedCounts(scene.commands, key, HOUR_AT_MS + 60_000)).toBe('0 1 0 0 0');
  }
});

test('writes nothing where nothing happened', async () => {
  await count(HOUR_AT_MS, 0, 0, 0, 0, 0);
  expect(await scene.commands.keys('*')).toEqual([]);
});

test('a full hour of a busy bot stays a listpack, and goes after 50 hours', async () => {
  for (let minute = 0; minute < 60; minute += 1) await count(HOUR_AT_MS + minute * 60_000, 999, 999, 99, 99, 999);
  for (const key of activityKeys(BOT, HOUR_AT_MS)) {
    expect(await scene.commands.object('ENCODING', key)).toBe('listpack');
    expect(await scene.commands.ttl(key)).toBeGreaterThan(49 * 3600);
    expect(await scene.commands.ttl(key)).toBeLessThanOrEqual(50 * 3600);
  }
});
