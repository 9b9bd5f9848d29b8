import { type LuaScene, luaScene, NOW_MS } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const upTo = (id: number) =>
  scene.evaluate('log', 'return countUpTo(log, id, 9)', { log: scene.keys.log }, { id: String(id) });
const entry = (id: number, count: number, left: '0' | '1', ...marked: string[]) =>
  scene.commands.xadd(
    ...([scene.keys.log, `${id}-0`, 'u', `raw ${id}`, 'k', 'message', 'l', 'c:5'] as const),
    ...['t', String(NOW_MS), 'x', String(NOW_MS + 1), 'n', String(count), 'm', left],
    ...marked,
  );

test('an entry is read field by field, and a missing one is nil', async () => {
  await entry(3, 2, '1');
  const at = (id: number) =>
    scene.evaluate(
      'log',
      'local entry = entryAt(log, id) return cjson.encode(entry and fieldsOf(entry))',
      { log: scene.keys.log },
      { id: String(id) },
    );
  expect(JSON.parse(String(await at(3)))).toEqual({
    ...{ id: 3, raw: 'raw 3', kind: 'message', lane: 'c:5', at: NOW_MS, expires: NOW_MS + 1, count: 2, allowed: false },
    ...{ again: false, exclusive: '0' },
  });
  expect(await at(4)).toBe('null');
});

test('counts allowed updates up to an id, also where the entry at it or before it is trimmed', async () => {
  expect(await upTo(5)).toBe(9);
  await entry(3, 2, '0');
  await entry(5, 2, '1');
  await entry(7, 3, '0');
  expect(await Promise.all([2, 3, 4, 5, 7, 8].map(upTo))).toEqual([1, 2, 2, 2, 3, 3]);
});

test('what a program took counts like an allowed one, and is for that program alone', async () => {
  await entry(3, 1, '1', 'tp', '', 'o', '=4');
  await entry(5, 2, '0', 'tp', '', 'o', ',4,17,');
  expect(await Promise.all([2, 3, 4, 5].map(upTo))).toEqual([0, 1, 1, 2]);
  const isFor = (id: number, program: string) =>
    scene.evaluate(
      'log',
      'return isFor(fieldsOf(entryAt(log, id)), program) and 1 or 0',
      { log: scene.keys.log },
      { id: String(id), program },
    );
  expect(await Promise.all(['4', '7', '17', ''].map((program) => isFor(3, program)))).toEqual([1, 0, 0, 0]);
  expect(await Promise.all(['4', '7', '17', ''].map((program) => isFor(5, program)))).toEqual([0, 1, 0, 1]);
});
