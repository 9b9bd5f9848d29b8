import { BOT, type LuaScene, luaScene, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => String(from + at));
const add = (lines: string[]) => {
  const body = `
local found = {}
for line in string.gmatch(text, '[^,]+') do found[#found + 1] = line end
return addLines(list, history, { bot = bot, registration = registration, now = '5' }, 'push', found) and 1 or 0`;
  const keys = { list: scene.keys.attempts, history: scene.keys.history };
  return scene.evaluate('journal', body, keys, { text: lines.join(','), bot: String(BOT), registration: REGISTRATION });
};
const kept = () => scene.commands.lrange(scene.keys.attempts, 0, -1);
const pages = async () =>
  (await scene.commands.xrange(scene.keys.history, '-', '+')).map(([, fields]) => Object.fromEntries(pairs(fields)));
const pairs = (fields: string[]) =>
  fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1]] as const] : []));

test('keeps the newest lines, and passes a hundred of the oldest on with each hundred that come', async () => {
  expect(await add(numbers(1, 199))).toBe(0);
  expect(await pages()).toEqual([]);
  expect(await add(['200'])).toBe(1);
  expect(await kept()).toEqual(numbers(101, 200).reverse());
  const lines = numbers(1, 100).reverse().join('\n');
  expect(await pages()).toEqual([{ t: 'lines', b: String(BOT), g: REGISTRATION, a: '5', d: 'push', l: lines }]);
});

test('many lines at once leave in several pages, the oldest first, and none is lost', async () => {
  await add(numbers(1, 150));
  await add(numbers(151, 1500));
  const found = await pages();
  const passed = found.flatMap(({ l = '' }) => l.split('\n').reverse());
  expect([...passed, ...(await kept()).reverse()]).toEqual(numbers(1, 1500));
  expect((await kept()).length).toBeGreaterThanOrEqual(100);
  expect(found.every(({ l = '' }) => l.split('\n').length === 100)).toBe(true);
});

test('an accepted update says what it is about', async () => {
  const body = "return acceptedLine('5', '7', 'p', true, raw, '', lane, kind)";
  const line = (raw: string, lane: string, kind: string) => scene.evaluate('journal', body, {}, { raw, lane, kind });
  expect(await line('{"update_id":7,"message":{"message_id":501,"chat":{"id":3}}}', 'c:3', 'message')).toBe(
    '5 7 p 0 501 - - c:3 message',
  );
  const pressed =
    '{"update_id":7,"callback_query":{"id":"1","from":{"id":9},"message":{"message_id": 4,"chat":{"id":-3}}}}';
  expect(await line(pressed, 'cb:9', 'callback_query')).toBe('5 7 p 0 4 -3 - cb:9 callback_query');
  const quoted = '{"update_id":7,"poll":{"id":"1","question":"\\"message_id\\":5"}}';
  expect(await line(quoted, 'poll:1', 'poll')).toBe('5 7 p 0 - - - poll:1 poll');
});
