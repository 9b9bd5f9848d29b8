import { BOT, type LuaScene, luaScene, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { readerMinutesPrefix } from '../../keys.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const add = (failure: object, reader = 'push', exclusive = 'nil') =>
  scene.evaluate(
    'dead-letter',
    `addDeadLetter(history, cjson.decode(origin), { id = 7, raw = '{}', exclusive = ${exclusive} }, cjson.decode(failure))`,
    { history: scene.keys.history },
    {
      origin: JSON.stringify({ bot: BOT, registration: REGISTRATION, now: 5, reader }),
      failure: JSON.stringify(failure),
    },
  );
const fields = async () => {
  const [[, flat] = ['', []]] = await scene.commands.xrange(scene.keys.history, '-', '+');
  return Object.fromEntries(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1]]] : [])));
};

test('says which update was given up, by whom, and why', async () => {
  await add({
    code: 'refused',
    reason: '500',
    attempts: 3,
    lastStatus: 500,
    firstFailedAtMs: 1,
    lastFailedAtMs: 2,
    destinations: '[1]',
    excerpt: 'oops',
  });
  expect(await fields()).toEqual({
    ...{ t: 'dead', b: String(BOT), g: REGISTRATION, a: '5', i: '7', u: '{}', d: 'push', w: '500', c: '3', s: '500' },
    ...{ code: 'refused', firstFailedAt: '1', lastFailedAt: '2', destinations: '[1]', excerpt: 'oops', exclusive: '0' },
  });
});

test.each(['push', 'rules', 'program:5'])('counts once as given up, for the bot, its shard and %s', async (reader) => {
  await add({ code: 'too_far_behind', reason: 'r', attempts: 0 }, reader);
  expect(await scene.counted()).toEqual(['0 0 1 0 0', '0 0 1 0 0']);
  const [key = ''] = await scene.commands.keys(`${readerMinutesPrefix(BOT, reader)}*`);
  expect(await scene.commands.hgetall(key)).toEqual({ 1: '1' });
});

test('what is not known is empty, and a null of JSON is no number', async () => {
  await add({ code: 'crashed', reason: 'r', attempts: 3 });
  expect(await fields()).toMatchObject({ s: '', firstFailedAt: '', lastFailedAt: '', destinations: '' });
  expect(
    await scene.evaluate('dead-letter', "return { numberIn(cjson.decode('[null]')[1]) or 'nil', numberIn(4) }"),
  ).toEqual(['nil', 4]);
});

test.each([
  ['program:5', "'1'", '1'],
  ['program:5', "'0'", '0'],
  ['rules', "'1'", '0'],
])('of %s with exclusive %s it says that its program took it alone: %s', async (reader, exclusive, said) => {
  await add({ code: 'crashed', reason: 'r', attempts: 3 }, reader, exclusive);
  expect((await fields()).exclusive).toBe(said);
});
