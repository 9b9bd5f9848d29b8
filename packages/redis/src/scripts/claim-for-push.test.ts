import { type LuaScene, luaScene, NOW_MS } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const claim = (options: Parameters<LuaScene['claimArguments']>[1], ...rest: (string | number)[]) => {
  const own = rest.length === 0 ? ['', '', '0', ''] : rest;
  const args = [...scene.claimArguments('push', options), ...own];
  return scene.run('claim-for-push', [...scene.turnKeys('push'), scene.keys.attempts], args);
};
const idsIn = ([, , , , , , ...units]: unknown[]) => (units as unknown[][]).map((unit) => unit[3]);

test('files what is new into lanes, and claims one unit of each', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1, 2]);
  await scene.accept([3], 'c:6');
  const first = await claim({ name: 'a1' });
  expect([first.slice(0, 6), idsIn(first)]).toEqual([
    ['OK', 1, '', 0, 0, [0, 0, 0, 0, 0]],
    ['1', '3'],
  ]);
  const settled = [...['c:5', '1', 1, 'delivered', '', ''], ...['', '', '1', '0', '{}']];
  expect(idsIn(await claim({ token: 1, name: 'a2', settled: 1 }, ...settled))).toEqual(['2']);
  expect(await scene.commands.lrange(scene.keys.attempts, 0, -1)).toEqual(['{}']);
  expect(await scene.commands.hmget(scene.keys.state, 'filed', 'filedN', 'pend', 'pushOkAt')).toEqual([
    '3',
    '3',
    '2',
    String(NOW_MS),
  ]);
});

test('opens the breaker after ten seconds of failures, and closes it at the first success', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1]);
  await claim({ name: 'a1' });
  const failed = [...['c:5', '1', 1, 'retry', NOW_MS, '{}'], ...['500', NOW_MS - 10_000, '0', '0']];
  const opened = await claim({ token: 1, name: 'a2', settled: 1 }, ...failed);
  expect(opened.slice(2, 6)).toEqual([String(NOW_MS + 2000), 0, 0, [0, 0, 0, 0, 1]]);
  const probe = await claim({ token: 1, name: 'a3', atMs: NOW_MS + 2000 });
  expect(idsIn(probe)).toEqual(['1']);
  const delivered = [...['c:5', '1', 1, 'delivered', '', ''], ...['', '', '1', '0']];
  const closed = await claim({ token: 1, name: 'a4', atMs: NOW_MS + 2001, settled: 1 }, ...delivered);
  expect(closed[5]).toEqual([0, 0, 0, 1, 0]);
  expect(await scene.commands.hexists(scene.keys.state, 'closedUntil')).toBe(0);
});

test('reads the state as the previous release has left it', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([1, 2]);
  await scene.commands.hset(scene.keys.state, {
    filed: 1,
    filedN: 1,
    pend: 0,
    'e:push': 6,
    'round:push': 'b1',
    'alone:push': '',
  });
  const reply = await claim({ token: 6, name: 'b2' });
  expect([reply[1], idsIn(reply)]).toEqual([6, ['2']]);
});
