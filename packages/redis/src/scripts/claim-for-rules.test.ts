import { type LuaScene, luaScene, NOW_MS } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const claim = (options: Parameters<LuaScene['claimArguments']>[1], ...rest: (string | number)[]) => {
  const own = rest.length === 0 ? [0, '', 0] : rest;
  return scene.run('claim-for-rules', scene.turnKeys('rules'), [...scene.claimArguments('rules', options), ...own]);
};

test('shows what is new, files what is to be routed, and claims it', async () => {
  await scene.applyBot({ rules: true });
  await scene.accept([1, 2]);
  const [, token, , , , shown] = await claim({ name: 'a1' });
  const raw = (id: number) => `{"update_id":${id}}`;
  expect([token, shown]).toEqual([1, [2, 1, [1, 'c:5', 'message', raw(1), 2, 'c:5', 'message', raw(2)]]]);
  const [, , , , , news, unit] = await claim({ token: 1, name: 'a2' }, 0, 2, 2, 'c:5', '2', '');
  expect(news).toEqual(['', 1, []]);
  expect((unit as unknown[]).slice(0, 5)).toEqual(['c:5', '', '', '2', 2]);
  expect(await scene.commands.hmget(scene.keys.state, 'rulesCursor', 'rulesUnread', 'rulesPending')).toEqual([
    '2',
    '0',
    '1',
  ]);
});

test('files nothing twice when an older look comes late', async () => {
  await scene.applyBot({ rules: true });
  await scene.accept([1]);
  await claim({ name: 'a1' });
  await claim({ token: 1, name: 'a2', limit: 0 }, 0, 1, 1, 'c:5', '1', '');
  await claim({ token: 1, name: 'a3', limit: 0 }, 0, 1, 1, 'c:5', '1', '');
  expect(await scene.commands.lrange(scene.keys.rulesLane('c:5'), 0, -1)).toEqual(['1']);
});

test('does not show what another reader gets again, and looks past it', async () => {
  await scene.applyBot({ rules: true });
  const fields = ['u', 'raw', 'k', 'message', 'l', 'c:5', 't', '1', 'x', '2', 'n', '1', 'm', '0', 'tp', '', 'o', ','];
  await scene.commands.xadd(scene.keys.log, '1-0', ...fields, 'r', '0');
  await scene.commands.hset(scene.keys.state, 'lastId', 1);
  const [, , , , , shown] = await claim({ name: 'a1' });
  expect(shown).toEqual([1, 1, []]);
});

test('a claim makes 200 dead letters at most, and is to be followed at once by the next one', async () => {
  await scene.applyBot({ rules: true });
  const ids = Array.from({ length: 250 }, (_, at) => at + 1);
  await scene.accept(ids);
  await claim({ name: 'a1' });
  const filed = ids.flatMap((id) => ['c:5', String(id), '']);
  await claim({ token: 1, name: 'a2', limit: 0 }, 0, 250, 250, ...filed);
  const atMs = NOW_MS + 86_400_001;
  const first = await claim({ token: 1, name: 'a3', atMs, end: 'idle' });
  expect([first[2], first[4], await scene.commands.xlen(scene.keys.history)]).toEqual([String(atMs), 0, 200]);
  const last = await claim({ token: 1, name: 'a4', atMs, end: 'idle' });
  expect([last[2], last[4], await scene.commands.xlen(scene.keys.history)]).toEqual(['', 1, 250]);
});

test('a lane whose time was written by a clock an hour ahead is due now, but for one that waits for its pace', async () => {
  await scene.applyBot({ rules: true });
  await scene.accept([1]);
  await scene.accept([2], 'c:6');
  await claim({ name: 'a1' });
  const { keys, commands } = scene;
  await claim({ token: 1, name: 'a2', limit: 0 }, 0, 2, 2, 'c:5', '1', '', 'c:6', '2', '');
  await commands.zadd(keys.rulesLanes, NOW_MS + 3_600_000, 'c:5', NOW_MS + 3_600_000, 'c:6');
  await commands.hset(keys.rulesWork, 'p:2', `{"to":{"r1":{"reservedMs":${NOW_MS + 3_600_000}}}}`);
  const [, , , , , , ...units] = await claim({ name: 'b1' });
  expect((units as unknown[][]).map((unit) => unit[3])).toEqual(['1']);
});
