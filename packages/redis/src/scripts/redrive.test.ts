import { programKeys } from '@flotilla/redis/keys.ts';
import { BOT, type LuaScene, luaScene, NOW_MS, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const redrive = (reader: 'push' | 'rules', ...letters: (string | number)[][]) => {
  const { state, pendingTurns } = scene.keys;
  const ofReader =
    reader === 'push'
      ? { keys: [scene.keys.lanes, scene.keys.redriven], lane: scene.keys.lane('') }
      : { keys: [scene.keys.rulesLanes, scene.keys.rulesRedriven], lane: scene.keys.rulesLane('') };
  return scene.run(
    'redrive',
    [state, ...ofReader.keys, pendingTurns, scene.keys.rulesWork, scene.keys.justRedriven],
    [REGISTRATION, NOW_MS, BOT, ofReader.lane, NOW_MS + 9, reader, 60_000, ...letters.flat()],
  );
};
const LETTER = [4, 7, 'message', 'c:5', '{"update_id":7}', '', ''];

test('a dead letter stands at the end of its lane once, and a turn is pending', async () => {
  await scene.applyBot({ push: true });
  expect([await redrive('push', LETTER, LETTER), await redrive('push', LETTER)]).toEqual([['OK'], ['OK']]);
  expect(await scene.commands.lrange(scene.keys.lane('c:5'), 0, -1)).toEqual(['r4']);
  expect(await scene.commands.hget(scene.keys.state, 'pend')).toBe('1');
  expect(await scene.commands.zrange(scene.keys.pendingTurns, '0', '-1')).toEqual([`${BOT}:push`]);
});

test('the worker that holds the turn is told', async () => {
  await scene.applyBot({ push: true });
  await scene.commands.zadd(scene.keys.pendingTurns, NOW_MS + 60_000.5, `${BOT}:push`);
  await redrive('push', LETTER);
  expect(await scene.commands.zscore(scene.keys.pendingTurns, `${BOT}:push`)).toBe(String(NOW_MS + 0.5));
});

test('rules keep its progress and its album; without a reader nothing happens', async () => {
  expect(await redrive('push', LETTER)).toEqual(['GONE']);
  await scene.applyBot({ rules: true });
  expect(await redrive('push', LETTER)).toEqual(['OFF']);
  await redrive('rules', [...LETTER.slice(0, 5), '{"to":{}}', 'album']);
  expect(await scene.commands.hgetall(scene.keys.rulesWork)).toEqual({ 'p:r4': '{"to":{}}', 'g:r4': 'album' });
  expect(await scene.commands.hget(scene.keys.state, 'routing')).toBe('1');
});

test('one that was put back stays known after it was sent, so that a repeated call does not send it again', async () => {
  await scene.applyBot({ push: true });
  await redrive('push', LETTER);
  await scene.commands.del(scene.keys.lane('c:5'), scene.keys.redriven, scene.keys.lanes);
  expect(await redrive('push', LETTER, [5, ...LETTER.slice(1)])).toEqual(['OK']);
  expect(await scene.commands.lrange(scene.keys.lane('c:5'), 0, -1)).toEqual(['r5']);
  expect(await scene.commands.pttl(scene.keys.justRedriven)).toBeGreaterThan(0);
});

test('what is put back for a paused program waits, and its turn is pending once it is enabled', async () => {
  const own = programKeys(BOT, 5);
  const toProgram = () => {
    const { state, pendingTurns, rulesWork, justRedriven } = scene.keys;
    return scene.run(
      'redrive',
      [state, own.lanes, own.redriven, pendingTurns, rulesWork, justRedriven, own.state],
      [REGISTRATION, NOW_MS, BOT, own.lane(''), NOW_MS + 9, 'program:5', 60_000, ...LETTER],
    );
  };
  const pendingTurns = () => scene.commands.zrange(scene.keys.pendingTurns, '0', '-1');
  await scene.applyBot({ programs: [5] });
  expect(await toProgram()).toEqual(['OFF']);
  await scene.applyBot({ programs: [5], pushing: ' 5:0:ab', revision: 2 });
  expect(await toProgram()).toEqual(['OK']);
  expect(await scene.commands.lrange(own.lane('c:5'), 0, -1)).toEqual(['r4']);
  expect(await pendingTurns()).toEqual([]);
  await scene.applyBot({ programs: [5], pushing: ' 5:1:ab', revision: 3 });
  expect(await pendingTurns()).toEqual([`${BOT}:program:5`]);
});
