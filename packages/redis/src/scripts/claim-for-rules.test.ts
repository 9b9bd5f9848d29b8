import { BOT, DAY_MS, type LuaScene, luaScene, okOf, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type ClaimForRulesArgs, scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const NOTHING_MATCHED = { hits: '', gatherMs: 0, matchedTo: null, matched: 0, filed: [] };
const claim = async (
  options: Parameters<LuaScene['claimArguments']>[1],
  matched: Partial<Pick<ClaimForRulesArgs, keyof typeof NOTHING_MATCHED>> = {},
) => {
  const args = { ...scene.claimArguments('rules', options), ...NOTHING_MATCHED, ...matched };
  return okOf(await scripts.claimForRules(scene.commands, scene.turnKeys('rules'), args));
};
const file = (id: number, lane = 'c:5') => ({ lane, id, album: '' });

test('shows what is new, files what is to be routed, and claims it', async () => {
  await scene.applyBot({ rules: true });
  await scene.accept([1, 2]);
  const shown = (id: number) => ({ id, lane: 'c:5', kind: 'message', raw: `{"update_id":${id}}` });
  expect(await claim({ name: 'a1' })).toMatchObject({
    fencingToken: 1,
    shownTo: 2,
    revision: 1,
    shown: [shown(1), shown(2)],
  });
  expect(await claim({ token: 1, name: 'a2' }, { matchedTo: 2, matched: 2, filed: [file(2)] })).toMatchObject({
    ...{ shownTo: null, revision: 1, shown: [] },
    units: [{ lane: 'c:5', record: null, progress: '', updates: [{ inLane: '2', id: 2 }] }],
  });
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
  const matched = { matchedTo: 1, matched: 1, filed: [file(1)] };
  await claim({ token: 1, name: 'a2', limit: 0 }, matched);
  await claim({ token: 1, name: 'a3', limit: 0 }, matched);
  expect(await scene.commands.lrange(scene.keys.rulesLane('c:5'), 0, -1)).toEqual(['1']);
});

test('does not show what another reader gets again, and looks past it', async () => {
  await scene.applyBot({ rules: true });
  const fields = ['u', 'raw', 'k', 'message', 'l', 'c:5', 't', '1', 'x', '2', 'n', '1', 'm', '0', 'tp', '', 'o', ','];
  await scene.commands.xadd(scene.keys.log, '1-0', ...fields, 'r', '0');
  await scene.commands.hset(scene.keys.state, 'lastId', 1);
  expect(await claim({ name: 'a1' })).toMatchObject({ shownTo: 1, revision: 1, shown: [] });
});

test('a claim makes 200 dead letters at most, and is to be followed at once by the next one', async () => {
  await scene.applyBot({ rules: true });
  const ids = Array.from({ length: 250 }, (_, at) => at + 1);
  await scene.accept(ids);
  await claim({ name: 'a1' });
  const filed = ids.map((id) => file(id));
  await claim({ token: 1, name: 'a2', limit: 0 }, { matchedTo: 250, matched: 250, filed });
  await scene.passMs(DAY_MS);
  const first = await claim({ token: 1, name: 'a3', end: 'idle' });
  expect(first).toMatchObject({ lookInMs: 0, ended: false });
  expect(await scene.deadLetters()).toBe(200);
  const last = await claim({ token: 1, name: 'a4', end: 'idle' });
  expect(last).toMatchObject({ lookInMs: null, ended: true });
  expect(await scene.deadLetters()).toBe(250);
});

test('keeps the hits of rules once, however often the claim is sent', async () => {
  await scene.applyBot({ rules: true });
  await scene.accept([1]);
  await scene.commands.del(scene.keys.history, scene.keys.pendingTurns);
  await claim({ name: 'a1' });
  const hits = '5 1 8 3';
  expect(await claim({ token: 1, name: 'a2', limit: 0 }, { hits })).toMatchObject({ wakeHistory: true });
  expect(await claim({ token: 1, name: 'a2', sent: 2, limit: 0 }, { hits })).toMatchObject({ units: [] });
  const records = await scene.commands.xrange(scene.keys.history, '-', '+');
  const kept = ['t', 'hits', 'b', String(BOT), 'g', REGISTRATION, 'a', expect.any(String), 'h', hits];
  expect(records.map(([, fields]) => fields)).toEqual([kept]);
});
