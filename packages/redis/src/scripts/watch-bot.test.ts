import { type LuaScene, luaScene, NOW_MS, okOf, REGISTRATION, writtenNow } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const watch = (keptMs = 30_000, registrationId = REGISTRATION) =>
  scripts.watchBot(scene.commands, scene.keys, { registrationId, forMs: 15_000, keptMs, lifeMs: 60_000 });
const entries = async () => scene.commands.xrange(scene.keys.live, '-', '+');

test('says so in the state, and begins a live stream that lives for a while', async () => {
  expect(await watch()).toEqual({ outcome: 'GONE' });
  await scene.applyBot({ push: true });
  expect(await watch(0, 'another')).toEqual({ outcome: 'GONE' });
  const { newest } = okOf(await watch());
  expect((await entries()).map(([id]) => id)).toEqual([newest]);
  const until = Number(await scene.commands.hget(scene.keys.state, 'watchedUntil'));
  expect(until - Date.now()).toBeGreaterThan(0);
  expect(await scene.commands.pttl(scene.keys.live)).toBeGreaterThan(0);
});

test('keeps the newest of the old entries, so that its reader has missed nothing', async () => {
  await scene.applyBot({ push: true });
  await watch();
  for (const text of ['a', 'b', 'c']) await scene.commands.xadd(scene.keys.live, '*', 't', text);
  const { newest } = okOf(await watch());
  expect((await entries()).length).toBe(4);
  expect(await watch(-1)).toEqual({ outcome: 'OK', newest });
  expect((await entries()).map(([, [, text]]) => text)).toEqual(['c']);
});

test('begins anew after a time in which nobody watched, above the ids from before', async () => {
  await scene.applyBot({ push: true });
  const { newest: before } = okOf(await watch());
  await scene.commands.hset(scene.keys.state, 'watchedUntil', 1);
  const { newest: after } = okOf(await watch());
  expect((await entries()).map(([id]) => id)).toEqual([after]);
  expect(after).not.toBe(before);
});

test('has updates written only while it is watched, within a bound', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1]);
  expect(await scene.commands.exists(scene.keys.live)).toBe(0);
  await watch();
  await scene.commands.hset(scene.keys.state, 'watchedUntil', NOW_MS + 86_400_000);
  for (let id = 2; id <= 2000; id += 200) await scene.accept(Array.from({ length: 200 }, (_, at) => id + at));
  expect(await scene.commands.xlen(scene.keys.live)).toBeLessThanOrEqual(1100);
  const [newest] = await scene.commands.xrevrange(scene.keys.live, '+', '-', 'COUNT', 1);
  expect(newest?.[1]).toEqual([
    ...['t', 'update', 'b', '1', 'g', REGISTRATION, 'a', writtenNow()],
    ...['i', '2001', 'u', '{"update_id":2001}'],
  ]);
  // Without a stream, none is made that would live for ever.
  await scene.commands.del(scene.keys.live);
  await scene.accept([3000]);
  expect(await scene.commands.exists(scene.keys.live)).toBe(0);
});
