import { botKeys } from '@flotilla/redis/keys.ts';
import { idsIn, logScene } from '@flotilla/testing/log-scene.ts';
import { NO_FLOODS } from '@flotilla/testing/no-floods.ts';
import { seededRandom } from '@flotilla/testing/random.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { readBotStatus } from '../../fleet/bot-list/bot-status.ts';
import type { Bot } from '../../fleet/bots/bot.ts';

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
  const bot = await registered({ allowed_updates: ['message', 'callback_query'] });
  await accept(
    bot,
    `{"update_id":1,"callback_query":{"id":"1","from":{"id":5}}}`,
    update(2),
    update(3, 'channel_post'),
  );
  await passMs(bot, 151_000);
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
});

test('an account has 16 named consumers if nobody else has any, and leaves room for others', async () => {
  const bot = await queue();
  for (let at = 0; at < 16; at += 1) await read(bot, { consumer: `c${at}`, ownerId: 1 });
  await expect(read(bot, { consumer: 'seventeenth', ownerId: 1 })).rejects.toThrow('at most 16');
  for (let at = 0; at < 8; at += 1) await read(bot, { consumer: `d${at}`, ownerId: 2 });
  await expect(read(bot, { consumer: 'ninth', ownerId: 2 })).rejects.toThrow('at most 16');
  await read(bot, { consumer: 'another', ownerId: 3 });
  // A poll of somebody else does not move a consumer into their share.
  await read(bot, { consumer: 'c0', ownerId: 3, offset: 103 });
  await expect(read(bot, { consumer: 'seventeenth', ownerId: 1 })).rejects.toThrow('at most 16');
  expect(await idsOf(bot, { consumer: 'c0', ownerId: 1 })).toEqual([103, 104, 105]);
  // The release before removes a consumer whose value has another form.
  const stored = await redis().commands.hvals(botKeys(bot.id).consumers);
  expect(stored.filter((value) => !/^\d+ \d+$/.test(value))).toEqual([]);
});

test('a named consumer is forgotten a day after its last poll, and makes room for another', async () => {
  const bot = await queue();
  for (let at = 0; at < 15; at += 1) await read(bot, { consumer: `c${at}` });
  await read(bot, { consumer: 'returns', offset: 106 });
  await passMs(bot, 20 * 3_600_000);
  await read(bot, { consumer: 'returns', offset: 106 });
  await passMs(bot, 5 * 3_600_000);
  expect(await idsOf(bot, { consumer: 'new' })).toEqual([]);
  await accept(bot, update(106));
  expect(await idsOf(bot, { consumer: 'returns', offset: 106 })).toEqual([106]);
  expect(await redis().commands.hkeys(botKeys(bot.id).consumers)).toHaveLength(2);
});

describe('what has expired before its client came', () => {
  const QUERY_LIFE_MS = 30_000;
  const DAY_MS = 86_400_000;
  /** An inline query, which expires after 30 s. */
  const query = (id: number) => `{"update_id":${id},"inline_query":{"id":"${id}","from":{"id":5},"query":""}}`;
  const waiting = async (bot: Bot) =>
    (await readBotStatus({ ...scene.deps(), floods: NO_FLOODS }, bot)).pendingUpdateCount;
  const kept = (bot: Bot) => redis().commands.xlen(botKeys(bot.id).log);
  const accepted = async (bot: Bot, ...raws: string[]) => (await accept(bot, ...raws)).outcome;

  test.each([0, 101, 103])('waits no longer once it has polled, with offset %i', async (offset) => {
    const bot = await registered({});
    await accept(bot, query(101), query(102), query(103));
    await passMs(bot, QUERY_LIFE_MS);
    expect(await waiting(bot)).toBe(3);
    expect(await idsOf(bot, { offset })).toEqual([]);
    expect(await waiting(bot)).toBe(0);
    await accept(bot, query(104));
    expect(await idsOf(bot, { offset })).toEqual([104]);
  });

  test('hides no live update behind it', async () => {
    const bot = await registered({});
    await accept(bot, query(101), query(102), update(103), query(104));
    await passMs(bot, QUERY_LIFE_MS);
    expect(await idsOf(bot)).toEqual([103]);
    expect(await waiting(bot)).toBe(2);
    expect(await idsOf(bot, { offset: 104 })).toEqual([]);
    expect(await waiting(bot)).toBe(0);
  });

  test('waits behind a live update, which is not lost', async () => {
    const bot = await registered({});
    await accept(bot, update(101), query(102), query(103), update(104));
    await passMs(bot, QUERY_LIFE_MS);
    expect([await idsOf(bot), await idsOf(bot)]).toEqual([
      [101, 104],
      [101, 104],
    ]);
    expect(await waiting(bot)).toBe(4);
    expect(await idsOf(bot, { offset: 102 })).toEqual([104]);
    expect(await waiting(bot)).toBe(1);
  });

  test('does not stop intake for ever, though nobody polls', async () => {
    const bot = await registered({});
    await accept(bot, query(1), query(2));
    // So many that no more fit: all but two of them are only counted.
    const { state } = botKeys(bot.id);
    await redis().commands.hincrby(state, 'allowedCount', 99_998);
    expect(await accepted(bot, query(3))).toBe('full');
    await passMs(bot, QUERY_LIFE_MS);
    expect([await accepted(bot, query(3)), await accepted(bot, update(4))]).toEqual(['accepted', 'accepted']);
    expect(await idsOf(bot)).toEqual([3, 4]);
  });

  test('leaves the log of a bot that has a backend and is never polled', async () => {
    const bot = await registered({ backend_url: 'https://backend.test/', proxy_enabled: true });
    for (let day = 0; day < 5; day += 1) {
      await accept(bot, ...[1, 2, 3].map((at) => update(day * 10 + at)));
      // The backend has everything.
      await redis().commands.hset(botKeys(bot.id).state, 'pushFloor', day * 10 + 3);
      await passMs(bot, DAY_MS);
    }
    expect(await kept(bot)).toBeLessThanOrEqual(9);
  });

  test('is passed for the default consumer alone: a named one gets what is live, of all kinds', async () => {
    const bot = await registered({});
    await read(bot, { consumer: 'audit' });
    await accept(bot, update(101, 'chat_member'), query(102), update(103, 'chat_member'), update(104), query(105));
    await passMs(bot, QUERY_LIFE_MS);
    expect([await idsOf(bot), await waiting(bot)]).toEqual([[104], 2]);
    await accept(bot, update(106));
    expect(await idsOf(bot, { offset: 107 })).toEqual([]);
    await passMs(bot, 200_000);
    await accept(bot, update(107));
    await idsOf(bot, { offset: 108 });
    expect(await idsOf(bot, { consumer: 'audit' })).toEqual([101, 103, 104, 106, 107]);
  });

  test.each([1, 2, 3, 4, 5, 6])('whatever expires, a client gets each live update in order (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const below = (end: number) => Math.floor(random.between(0, end));
    const bot = await registered({});
    let lastId = 0;
    /** The updates that are not acknowledged: their ids, and when they expire. */
    let queue: { id: number; expiresAtMs: number }[] = [];
    let passedMs = 0;
    const live = () => queue.filter(({ expiresAtMs }) => expiresAtMs > passedMs);
    for (let step = 0; step < 150; step += 1) {
      // Never to within 6 s of the end of a query, because the test takes some time itself.
      const stepMs = below(2) * 12_000;
      passedMs += stepMs;
      await passMs(bot, stepMs);
      const raws = Array.from({ length: below(4) }, () => {
        const isQuery = below(4) > 0;
        lastId += 1;
        queue.push({ id: lastId, expiresAtMs: passedMs + (isQuery ? QUERY_LIFE_MS : DAY_MS) });
        return isQuery ? query(lastId) : update(lastId);
      });
      if (raws.length > 0) await accept(bot, ...raws);
      if (below(3) === 0) {
        const offset = below(2) === 0 ? 0 : (random.oneOf(queue)?.id ?? 0);
        queue = queue.filter(({ id }) => id >= offset);
        expect(await idsOf(bot, { offset })).toEqual(live().map(({ id }) => id));
        const head = live()[0]?.id ?? lastId + 1;
        expect(await waiting(bot)).toBe(queue.filter(({ id }) => id >= head).length);
      }
    }
  });
});
