import { botKeys } from '@flotilla/redis/keys.ts';
import { idsIn, logScene } from '@flotilla/testing/log-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

const scene = logScene();
const { accept, idsOf, passMs, read, redis, registered, update } = scene;
beforeAll(scene.open);
afterEach(scene.clear);
afterAll(scene.close);

const queue = async () => {
  const bot = await registered({});
  await accept(bot, ...[101, 102, 103, 104, 105].map((id) => update(id)));
  return bot;
};

test('offset 0 reads all and acknowledges nothing; a positive one acknowledges what is below', async () => {
  const bot = await queue();
  expect(await idsOf(bot)).toEqual([101, 102, 103, 104, 105]);
  expect(await idsOf(bot, { offset: 103 })).toEqual([103, 104, 105]);
  expect(await idsOf(bot)).toEqual([103, 104, 105]);
});

test('last + 1 to last + 11 acknowledge everything, and the next update is not born acknowledged', async () => {
  const bot = await queue();
  expect(await idsOf(bot, { offset: 106 })).toEqual([]);
  expect(await idsOf(bot, { offset: 116 })).toEqual([]);
  await accept(bot, update(106));
  expect(await idsOf(bot, { offset: 116 })).toEqual([116]);
});

test('an offset far above the end, or far below the head, reads from the head', async () => {
  const bot = await queue();
  expect(await idsOf(bot, { offset: 117 })).toEqual([101, 102, 103, 104, 105]);
  await accept(bot, update(300_000));
  expect(await idsOf(bot, { offset: 300_000 })).toEqual([300_000]);
  expect(await idsOf(bot, { offset: 103 })).toEqual([300_000]);
});

test('a negative offset keeps the newest ones', async () => {
  const bot = await queue();
  expect(await idsOf(bot, { offset: -50 })).toEqual([101, 102, 103, 104, 105]);
  expect(await idsOf(bot, { offset: -3, limit: 1 })).toEqual([103]);
  expect(await idsOf(bot)).toEqual([103, 104, 105]);
  expect(await idsOf(bot, { offset: -1 })).toEqual([105]);
  expect(await idsOf(bot)).toEqual([105]);
});

test('a negative offset counts what its reader gets, however much of others lies before it', async () => {
  const bot = await queue();
  await read(bot, { consumer: 'audit' });
  for (let from = 106; from < 2606; from += 500) {
    await accept(bot, ...Array.from({ length: 500 }, (_, at) => update(from + at, 'chat_member')));
  }
  expect(await idsOf(bot, { offset: -1 })).toEqual([105]);
  expect(await idsOf(bot, { consumer: 'audit', kinds: ['message'], offset: -2 })).toEqual([104, 105]);
  expect(await idsOf(bot, { consumer: 'audit', offset: -1 })).toEqual([2605]);
}, 30_000);

test('a client that begins at offset 1 after a restart is not served what was acknowledged', async () => {
  const bot = await queue();
  await idsOf(bot, { offset: 104 });
  expect(await idsOf(bot, { offset: 1 })).toEqual([104, 105]);
});

test('a slower poller of the same consumer still reads what a faster one acknowledged', async () => {
  const bot = await queue();
  await idsOf(bot, { offset: 106 });
  expect(await idsOf(bot, { offset: 102 })).toEqual([102, 103, 104, 105]);
  expect(await idsOf(bot)).toEqual([]);
});

test('a waiting poll is answered by what is accepted; a timeout brings nothing', async () => {
  const bot = await registered({});
  const waiting = read(bot, { timeoutMs: 20_000 });
  await accept(bot, update(1), update(2));
  expect(idsIn(await waiting)).toEqual([1, 2]);
  expect(await idsOf(bot, { offset: 3, timeoutMs: 20 })).toEqual([]);
});

test('every waiting poller receives a new update', async () => {
  const bot = await registered({});
  const polls = [1, 2, 3].map(() => read(bot, { timeoutMs: 20_000 }));
  await accept(bot, update(1));
  expect((await Promise.all(polls)).map(idsIn)).toEqual([[1], [1], [1]]);
});

test('stops at 4 MiB and goes on after the acknowledgement', async () => {
  const bot = await registered({});
  const big = (id: number) => update(id).replace('"text":"', `"text":"${'x'.repeat(300 * 1024)}`);
  for (let id = 1; id <= 20; id += 1) await accept(bot, big(id));
  expect(await idsOf(bot)).toHaveLength(13);
  expect(await idsOf(bot, { offset: 14 })).toHaveLength(7);
});

test('skips what has expired and what allowed_updates left out', async () => {
  const bot = await registered({ allowedUpdates: ['message', 'callback_query'] });
  await accept(
    bot,
    `{"update_id":1,"callback_query":{"id":"1","from":{"id":5}}}`,
    update(2),
    update(3, 'channel_post'),
  );
  passMs(151_000);
  expect(await idsOf(bot)).toEqual([2]);
});

test('a named consumer has a cursor and a filter of its own, and starts at the oldest kept', async () => {
  const bot = await queue();
  await idsOf(bot, { offset: 104 });
  expect(await idsOf(bot, { consumer: 'audit' })).toEqual([101, 102, 103, 104, 105]);
  await accept(bot, update(106, 'chat_member'));
  expect(await idsOf(bot, { consumer: 'audit', offset: 105 })).toEqual([105, 106]);
  expect(await idsOf(bot, { consumer: 'audit', kinds: ['chat_member'] })).toEqual([106]);
  expect(await idsOf(bot)).toEqual([104, 105]);
  for (let at = 0; at < 15; at += 1) await read(bot, { consumer: `c${at}` });
  await expect(read(bot, { consumer: 'seventeenth' })).rejects.toThrow('at most 16');
});

test('a named consumer is forgotten a day after its last poll, and makes room for another', async () => {
  const bot = await queue();
  for (let at = 0; at < 15; at += 1) await read(bot, { consumer: `c${at}` });
  await read(bot, { consumer: 'returns', offset: 106 });
  passMs(20 * 3_600_000);
  await read(bot, { consumer: 'returns', offset: 106 });
  passMs(5 * 3_600_000);
  expect(await idsOf(bot, { consumer: 'new' })).toEqual([]);
  await accept(bot, update(106));
  expect(await idsOf(bot, { consumer: 'returns', offset: 106 })).toEqual([106]);
  expect(await redis().commands.hkeys(botKeys(bot.id).consumers)).toHaveLength(2);
});
