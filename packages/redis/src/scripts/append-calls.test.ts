import { BOT, type LuaScene, luaScene, NOW_MS, okOf, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const CALL = '99\nsendmessage\n{}\n\n\n\n{"message_id":1}';
const append = (batch: number, registration = REGISTRATION, calls = [CALL]) => {
  const keys = { ...scene.keys, batches: '{s1}:calls:p' };
  return scripts.appendCalls(scene.commands, keys, {
    registrationId: registration,
    ...scene.activity,
    botId: BOT,
    batch,
    calls,
  });
};

test('a batch is appended and counted once, however often it is tried', async () => {
  await scene.applyBot({ manage: true });
  const wakes = async (batch: number) => okOf(await append(batch)).wakeHistory;
  expect([await wakes(1), await wakes(1), await wakes(2)]).toEqual([true, false, false]);
  expect(await scene.commands.xlen(scene.keys.history)).toBe(2);
  expect(await scene.counted()).toEqual(['0 0 0 0 2', '0 0 0 0 2']);
});

test('nothing is kept before the bot is set up, of another registration, or without history', async () => {
  expect(await append(1)).toEqual({ outcome: 'GONE' });
  await scene.applyBot({});
  expect([await append(1), await append(1, 'another')]).toEqual([{ outcome: 'OFF' }, { outcome: 'OFF' }]);
});

test('what the program of a bot sends in a chat that a person has taken over is marked', async () => {
  await scene.applyBot({ manage: true });
  const until = Date.now() + 3_600_000;
  await scene.commands.hset(
    scene.keys.holds,
    '5',
    `${until} 60000 1  account:ada`,
    '6:c1',
    `${until} 60000 1  account:ada`,
  );
  const sent = (chat: number, { actor = '', connection = '', method = 'sendmessage', params = '{}' } = {}) => {
    const of = connection === '' ? '' : `,"business_connection_id":"${connection}"`;
    const result = method === 'copymessage' ? '{"message_id":1}' : `{"message_id":1,"chat":{"id":${chat}}${of}}`;
    return `99\n${method}\n${params}\n${actor}\n\n\n${result}`;
  };
  const held = [
    sent(5),
    sent(5, { actor: '{"programId":3}' }),
    sent(6, { connection: 'c1' }),
    sent(5, { method: 'copymessage', params: '{"chat_id":"5"}' }),
  ];
  const free = [sent(7), sent(6), sent(5, { actor: '{"accountId":4}' }), sent(5, { method: 'editmessagetext' })];
  await append(1, REGISTRATION, [...held, ...free]);
  const records = await scene.commands.xrange(scene.keys.history, '-', '+');
  expect(records.map(([, record]) => record.at(-2) === 'h')).toEqual([
    ...held.map(() => true),
    ...free.map(() => false),
  ]);
});

// Other releases read the same stream, so these stored fields must not change.
test('a record has the fields that the history reads', async () => {
  await scene.applyBot({ manage: true });
  const audited = '100\ndeletemessage\n{"chat_id":"5"}\n{"accountId":4}\ncall:p:1\nwhy not\ntrue';
  await append(1, REGISTRATION, [CALL, audited]);
  const common = ['t', 'call', 'b', String(BOT), 'g', REGISTRATION];
  const records = await scene.commands.xrange(scene.keys.history, '-', '+');
  expect(records.map(([, record]) => record)).toEqual([
    [...common, ...'a 99 m sendmessage p {} r {"message_id":1}'.split(' ')],
    [
      ...common,
      ...'a 100 m deletemessage p {"chat_id":"5"} r true u {"accountId":4} c call:p:1 n'.split(' '),
      'why not',
    ],
  ]);
  expect(await scene.counted()).toEqual(['0 0 0 0 2', '0 0 0 0 2']);
});

test('a result keeps its line breaks', async () => {
  await scene.applyBot({ manage: true });
  await append(1, REGISTRATION, [`${CALL.slice(0, -1)}\n}\n`, `${CALL}\n\n`]);
  const records = await scene.commands.xrange(scene.keys.history, '-', '+');
  expect(records.map(([, record]) => record.at(-1))).toEqual(['{"message_id":1\n}\n', '{"message_id":1}\n\n']);
});

test('whoever watches the bot sees the same records', async () => {
  await scene.applyBot({ manage: true });
  await scene.commands.hset(scene.keys.state, 'watchedUntil', NOW_MS + 86_400_000);
  await scene.commands.xadd(scene.keys.live, '1-0', 't', 'begin');
  await append(1);
  const [history, live] = await Promise.all([
    scene.commands.xrange(scene.keys.history, '-', '+'),
    scene.commands.xrange(scene.keys.live, '(1-0', '+'),
  ]);
  expect(live.map(([, record]) => record)).toEqual(history.map(([, record]) => record));
});
