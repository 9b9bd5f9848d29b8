import type { BotResource } from '@flotilla/contract/bots.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { withoutReserve } from '@flotilla/testing/without-reserve.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';

/** Read once, because texts made before and after a change of second must be equal. */
const NOW_S = Math.floor(Date.now() / 1000);

const api = testApi();
/** Stands in for the worker: pollers of the api get the updates that it accepts. */
let worker: Context;

beforeAll(async () => {
  worker = await createContext(readConfig(api.env), { log: createLogger({ name: 'worker', level: 'silent' }) });
  api.endBefore(worker.close);
});

const addBot = (fields: object = { long_poll_enabled: true }) => api.addBot(fields);

const update = (id: number, kind = 'message') =>
  `{"update_id":${id},\n"${kind}":{"message_id":${id},"date":${NOW_S},"chat":{"id":5,"type":"private"},"big":9007199254740993,"text":"\\u043f \\/"}}`;

async function accept(bot: BotResource, ...raws: string[]): Promise<void> {
  await worker.directory.refresh();
  const sliced = sliceUpdates(`{"ok":true,"result":[${raws.join(',')}]}`);
  const accepted = await acceptUpdates(withoutReserve(worker), worker.directory.byId(bot.id)!, sliced!.updates);
  expect(accepted).toMatchObject({ outcome: 'accepted', appended: raws.length });
}

const poll = (bot: BotResource, query: Record<string, string | number> = {}, client = api.admin) =>
  client('GET', '/api/updates/poll', { query: { bot_id: bot.id, timeout: 0, ...query } });
const idsOf = ({ json }: { json: unknown }) =>
  (json as { result: { update_id: number }[] }).result.map(({ update_id }) => update_id);

describe('a poll', () => {
  test('answers the platform’s own bytes', async () => {
    const bot = await addBot();
    await accept(bot, update(1), update(2));
    expect((await poll(bot)).text).toBe(`{"ok":true,"result":[${update(1)},\n${update(2)}]}`);
  });

  test('acknowledges by its offset, for everyone on the same consumer', async () => {
    const bot = await addBot();
    await accept(bot, update(1), update(2), update(3));
    expect(idsOf(await poll(bot, { limit: 2 }))).toEqual([1, 2]);
    expect(idsOf(await poll(bot, { offset: 3 }))).toEqual([3]);
    expect(idsOf(await poll(bot))).toEqual([3]);
    expect(idsOf(await poll(bot, { offset: 4 }))).toEqual([]);
    expect(idsOf(await poll(bot))).toEqual([]);
  });

  test('is needed to have long polling on', async () => {
    const bot = await addBot({});
    expect((await poll(bot)).json).toMatchObject({
      code: 'bad_request',
      error: expect.stringContaining('Long polling'),
    });
  });

  test('that waits is answered when something comes, on any pod, by all that wait', async () => {
    const bot = await addBot();
    const pod = restClient((await api.startPod()).url, ADMIN_KEY);
    const waiting = [poll(bot, { timeout: 30 }), poll(bot, { timeout: 30 }), poll(bot, { timeout: 30 }, pod)];
    await waitFor(async () => {
      await worker.directory.refresh();
      return worker.directory.byId(bot.id) !== undefined;
    });
    await accept(bot, update(1));
    for (const answer of await Promise.all(waiting)) expect(idsOf(answer)).toEqual([1]);
  });

  test('ends empty when its time is up; a longer one than the maximum is lowered, a negative one refused', async () => {
    const bot = await addBot();
    const beganAtMs = performance.now();
    expect((await poll(bot, { timeout: 1 })).text).toBe('{"ok":true,"result":[]}');
    expect(performance.now() - beganAtMs).toBeGreaterThan(950);
    await accept(bot, update(1));
    expect(idsOf(await poll(bot, { timeout: 5000, limit: 5000 }))).toEqual([1]);
    expect((await poll(bot, { timeout: -1 })).status).toBe(400);
    expect((await poll(bot, { limit: 0 })).status).toBe(400);
  });

  test('of a named consumer has a cursor and kinds of its own', async () => {
    const bot = await addBot({ long_poll_enabled: true, allowed_updates: ['message', 'channel_post'] });
    await accept(bot, update(1), update(2, 'channel_post'), update(3));
    const named = { consumer: 'archive', allowed_updates: '["channel_post"]' };
    expect(idsOf(await poll(bot, named))).toEqual([2]);
    expect(idsOf(await poll(bot, { ...named, offset: 3 }))).toEqual([]);
    expect(idsOf(await poll(bot))).toEqual([1, 2, 3]);
    expect((await poll(bot, { consumer: 'not valid' })).status).toBe(400);
  });

  test('filters its own answers by the kinds it asks for, and changes nothing for anybody else', async () => {
    const bot = await addBot({ long_poll_enabled: true, allowed_updates: ['message', 'channel_post'] });
    const { key } = await insertAccount(api.database.db, { username: 'filtering', bots: [bot.id] });
    await accept(bot, update(1), update(2, 'channel_post'), update(3));
    const filtered = await poll(bot, { allowed_updates: 'channel_post' }, restClient(api.url, key));
    expect(idsOf(filtered)).toEqual([2]);
    const shown = (await api.admin('GET', '/api/bots')).json as BotResource[];
    expect(shown.find(({ id }) => id === bot.id)?.allowed_updates).toEqual(['message', 'channel_post']);
    await accept(bot, update(4));
    expect(idsOf(await poll(bot))).toEqual([1, 2, 3, 4]);
    expect(idsOf(await poll(bot, { consumer: 'archive' }))).toEqual([1, 2, 3, 4]);
  });

  test('with kinds counts only those towards its limit, and its offset acknowledges all before it', async () => {
    const bot = await addBot();
    await accept(bot, update(1), update(2, 'channel_post'), update(3), update(4, 'channel_post'), update(5));
    const posts = { allowed_updates: '["channel_post"]' };
    expect(idsOf(await poll(bot, { ...posts, limit: 1 }))).toEqual([2]);
    expect(idsOf(await poll(bot, { ...posts, limit: 2 }))).toEqual([2, 4]);
    expect(idsOf(await poll(bot, { ...posts, offset: 3 }))).toEqual([4]);
    expect(idsOf(await poll(bot))).toEqual([3, 4, 5]);
    expect(idsOf(await poll(bot, { ...posts, offset: -1 }))).toEqual([4]);
    expect(idsOf(await poll(bot))).toEqual([4, 5]);
    expect(idsOf(await poll(bot, { ...posts, offset: 5 }))).toEqual([]);
    expect(idsOf(await poll(bot))).toEqual([5]);
  });

  test('with kinds finds them however much of others lies between', async () => {
    const bot = await addBot();
    const kindOf = (id: number) => (id % 1200 === 0 ? 'channel_post' : 'message');
    for (let from = 1; from <= 5000; from += 500) {
      await accept(bot, ...Array.from({ length: 500 }, (_, at) => update(from + at, kindOf(from + at))));
    }
    const posts = { allowed_updates: '["channel_post"]' };
    expect(idsOf(await poll(bot, posts))).toEqual([1200, 2400, 3600, 4800]);
    expect(idsOf(await poll(bot, { ...posts, limit: 3 }))).toEqual([1200, 2400, 3600]);
    expect(idsOf(await poll(bot, { ...posts, offset: 2401 }))).toEqual([3600, 4800]);
    expect(idsOf(await poll(bot, { allowed_updates: '["poll"]', offset: -3 }))).toEqual([]);
    expect(idsOf(await poll(bot, { limit: 1 }))).toEqual([2401]);
    expect(idsOf(await poll(bot, { ...posts, offset: -2 }))).toEqual([3600, 4800]);
    expect(idsOf(await poll(bot, { limit: 1 }))).toEqual([3600]);
  });

  test('with kinds goes on waiting while others come, until one does or its time is up', async () => {
    const bot = await addBot();
    const metrics = restClient(`http://127.0.0.1:${api.metricsPort}`);
    const waiting = async () =>
      Number(/flotilla_waiting_polls (\d+)/.exec((await metrics('GET', '/metrics')).text)?.[1]);
    const before = await waiting();
    let answered = false;
    const polls = ['', 'archive'].map((consumer) => {
      const query = { timeout: 30, allowed_updates: '["channel_post"]', ...(consumer === '' ? {} : { consumer }) };
      return poll(bot, query).finally(() => {
        answered = true;
      });
    });
    await waitFor(async () => (await waiting()) === before + 2);
    await accept(bot, update(1));
    await accept(bot, update(2));
    // When this unfiltered poll is answered, a filtered poll that these updates woke by mistake would be answered too.
    expect(idsOf(await poll(bot, { timeout: 30, consumer: 'other' }))).toEqual([1, 2]);
    expect(answered).toBe(false);
    await accept(bot, update(3, 'channel_post'));
    expect((await Promise.all(polls)).map(idsOf)).toEqual([[3], [3]]);
    const beganAtMs = performance.now();
    expect(idsOf(await poll(bot, { timeout: 1, offset: 4, allowed_updates: '["poll"]' }))).toEqual([]);
    expect(performance.now() - beganAtMs).toBeGreaterThan(950);
  });

  test('of a named consumer gets every kind, whatever getUpdates asks for', async () => {
    const bot = await addBot();
    expect(idsOf(await poll(bot, { consumer: 'archive' }))).toEqual([]);
    const asked = await fetch(`${api.url}/tgapi/bot${bot.token}/getUpdates?allowed_updates=%5B%22message%22%5D`);
    expect(await asked.json()).toEqual({ ok: true, result: [] });
    await accept(bot, update(1, 'channel_post'), update(2), update(3, 'message_reaction'));
    expect(idsOf(await poll(bot, { consumer: 'archive' }))).toEqual([1, 2, 3]);
    expect(idsOf(await poll(bot))).toEqual([2]);
  });

  test('of a disabled bot waits, and then gets nothing', async () => {
    const bot = await addBot();
    await accept(bot, update(1));
    await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: bot.id } });
    const beganAtMs = performance.now();
    expect(idsOf(await poll(bot, { timeout: 1 }))).toEqual([]);
    expect(performance.now() - beganAtMs).toBeGreaterThan(950);
    await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: bot.id } });
    expect(idsOf(await poll(bot))).toEqual([1]);
  });

  test('ends at once, and empty, when its pod begins to stop', async () => {
    const bot = await addBot();
    const pod = await api.startPod();
    const waiting = poll(bot, { timeout: 60 }, restClient(pod.url, ADMIN_KEY));
    const metrics = restClient(`http://127.0.0.1:${pod.metricsPort}`);
    await waitFor(async () => (await restClient(pod.url)('GET', '/readyz')).status === 200);
    await waitFor(async () => (await metrics('GET', '/metrics')).text.includes('flotilla_waiting_polls 1'));
    await pod.stop();
    expect(idsOf(await waiting)).toEqual([]);
  });
});
