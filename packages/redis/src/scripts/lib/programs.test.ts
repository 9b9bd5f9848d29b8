import { programKeys } from '@flotilla/redis/keys.ts';
import { BOT, type LuaScene, luaScene, NOW_MS } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

const ID = 5;

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const own = programKeys(BOT, ID);
const TURN = `${BOT}:program:${ID}`;
/** Applies this configuration; `woken` are the programs that updates woke until now. */
const apply = (programs: { ids: string; kept?: string; pushing: string; woken?: string; on?: boolean }) => {
  const { ids, kept = ids, pushing, woken = '', on = true } = programs;
  const body = `local bot = { id = ${BOT}, registration = 'r', now = ${NOW_MS}, log = log, history = history, consumers = consumers,
  pendingTurns = pendingTurns, prefix = prefix, last = 4, count = 4, on = ${on}, woken = woken }
return applyPrograms(bot, ids, kept, pushing)`;
  const { log, history, consumers, pendingTurns, programPrefix: prefix } = scene.keys;
  const keys = { log, history, consumers, pendingTurns };
  return scene.evaluate('programs', body, keys, { prefix, woken, ids, kept, pushing });
};
const consumer = () => scene.commands.hget(scene.keys.consumers, `program:${ID}`);
const pending = () => scene.commands.zrange(scene.keys.pendingTurns, '0', '-1');
/** Four updates, of which the first two are filed: one was delivered, the other waits for a retry. */
const workedFor = async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2, 3, 4]);
  await scene.commands.hset(scene.keys.consumers, `program:${ID}`, `0 ${NOW_MS - 9}`);
  await apply({ ids: `,${ID},`, pushing: ` ${ID}:1:ab` });
  await scene.commands.hset(own.state, 'pushCursor', 2, 'pushCursorCount', 2, 'goneSince', 7);
  await scene.commands.rpush(own.lane('c:5'), '1');
  await scene.commands.zadd(own.lanes, NOW_MS + 60_000, 'c:5');
  await scene.commands.hset(own.work, 'r:1', 3);
};

test('updates wake the programs that push and are not paused; these have a pending turn at once', async () => {
  expect(await apply({ ids: ',5,6,7,', pushing: ' 5:1:ab 6:0:cd' })).toBe('5');
  expect(await pending()).toEqual([TURN]);
});

test('one that was woken already gets no pending turn, because its turn may sleep', async () => {
  await apply({ ids: ',5,', pushing: ' 5:1:ab' });
  await scene.commands.del(scene.keys.pendingTurns);
  await apply({ ids: ',5,', pushing: ' 5:1:ab', woken: '5' });
  expect(await pending()).toEqual([]);
});

test('a disabled bot has no pending turn of a program', async () => {
  await apply({ ids: ',5,', pushing: ' 5:1:ab' });
  expect(await apply({ ids: ',5,', pushing: ' 5:1:ab', woken: '5', on: false })).toBe('5');
  expect(await pending()).toEqual([]);
});

test('a program that pushes from now on begins where it read, with a closed breaker', async () => {
  await scene.applyBot({ pull: true });
  await scene.accept([1, 2, 3, 4]);
  await scene.commands.hset(scene.keys.consumers, `program:${ID}`, `3 ${NOW_MS - 9}`);
  await scene.commands.hset(own.state, 'openUntil', NOW_MS + 5);
  await apply({ ids: ',5,', pushing: ' 5:1:ab' });
  const [push, pushCursor, pushCursorCount, openUntil] = [
    'push',
    'pushCursor',
    'pushCursorCount',
    'openUntil',
  ] as const;
  const state = await scene.commands.hmget(own.state, push, pushCursor, pushCursorCount, openUntil, 'target');
  expect(state).toEqual(['1', '3', '3', null, 'ab']);
  expect(await consumer()).toBe(`3 ${NOW_MS}`);
});

test('one that pulls from now on goes back to what waits, without what was delivered after that', async () => {
  await workedFor();
  await scene.commands.hset(own.redriven, 'r1', JSON.stringify({ id: 9, raw: '{"update_id":9}' }));
  await apply({ ids: ',5,', pushing: '', woken: '5' });
  expect(await consumer()).toBe(`0 ${NOW_MS}`);
  expect(await scene.commands.smembers(own.deliveredAhead)).toEqual(['2']);
  expect(await scene.commands.hmget(own.state, 'push', 'pushPending')).toEqual(['0', '0']);
  expect(await scene.commands.exists(own.lanes, own.lane('c:5'), own.redriven)).toBe(0);
  const letters = await scene.commands.xrange(scene.keys.history, '-', '+');
  expect(letters.some(([, fields]) => fields.includes('backend_removed'))).toBe(true);
});

test('another backend is tried at once, and the failures of the old one do not count', async () => {
  await workedFor();
  await apply({ ids: ',5,', pushing: ' 5:1:cd', woken: '5' });
  expect(await scene.commands.zscore(own.lanes, 'c:5')).toBe(String(NOW_MS));
  expect(await scene.commands.exists(own.work)).toBe(0);
  expect(await scene.commands.hmget(own.state, 'target', 'goneSince')).toEqual(['cd', null]);
  expect(await pending()).toEqual([]);
});

test('a deleted one is forgotten once nothing is left to giveUp, and sleeps until then', async () => {
  await workedFor();
  await apply({ ids: ',,', kept: ',5,', pushing: '' });
  expect(await pending()).not.toContain(TURN);
  expect(await consumer()).toBe(`0 ${NOW_MS}`);
  await apply({ ids: ',,', pushing: '' });
  expect(await consumer()).toBeNull();
  expect(await scene.commands.exists(own.state, own.lanes, own.lane('c:5'), own.work)).toBe(0);
});

test('the keys of a program have the names that TypeScript gives them', async () => {
  const { lane, files: _files, recentSetWebhook: _recent, ...named } = own;
  const found = await scene.evaluate(
    'programs',
    'return cjson.encode(programKeys(prefix, id))',
    {},
    {
      prefix: scene.keys.programPrefix,
      id: String(ID),
    },
  );
  expect(JSON.parse(String(found))).toEqual({ ...named, lanePrefix: lane('') });
});
