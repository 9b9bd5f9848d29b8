import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ReaderResource } from '@flotilla/contract/readers.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { withoutReserve } from '@flotilla/testing/without-reserve.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';

const NOW_S = Math.floor(Date.now() / 1000);
const HOUR_MS = 3_600_000;

const api = testApi();
/** Accepts updates in place of a worker. */
let worker: Context;

beforeAll(async () => {
  worker = await createContext(readConfig(api.env), { log: createLogger({ name: 'worker', level: 'silent' }) });
  api.endBefore(worker.close);
});

async function accept(bot: BotResource, ids: number[], kind = 'message'): Promise<void> {
  await worker.directory.refresh();
  const message = (id: number) => `{"message_id":${id},"date":${NOW_S},"chat":{"id":5,"type":"private"},"text":"x"}`;
  const raws = ids.map((id) => `{"update_id":${id},"${kind}":${message(id)}}`);
  const sliced = sliceUpdates(`{"ok":true,"result":[${raws.join(',')}]}`);
  await acceptUpdates(withoutReserve(worker), worker.directory.byId(bot.id)!, sliced!.updates);
}

const poll = (bot: BotResource, query: Record<string, string | number>) =>
  api.admin('GET', '/api/updates/poll', { query: { bot_id: bot.id, timeout: 0, ...query } });
const update = (bot: BotResource, fields: object) =>
  api.admin('POST', '/api/bots/update', { body: { id: bot.id, ...fields } });
const ask = (bot: { id: number }, client = api.admin) =>
  client('GET', '/api/bots/readers', { query: { bot_id: bot.id } });
async function readers(bot: BotResource): Promise<Record<string, ReaderResource>> {
  const answer = await ask(bot);
  expect(answer.status).toBe(200);
  return Object.fromEntries((answer.json as ReaderResource[]).map((reader) => [reader.reader, reader]));
}
const forget = (bot: BotResource, consumer: string, client = api.admin) =>
  client('POST', '/api/bots/forget-consumer', { body: { bot_id: bot.id, consumer } });
const resume = (bot: BotResource, client = api.admin) =>
  client('POST', '/api/bots/resume-backend', { body: { bot_id: bot.id } });
const audited = async (action: string, bot: BotResource) => {
  const query = { action, bot_id: bot.id };
  return (await api.admin('GET', '/api/adminlog', { query })).json as object[];
};
const userOf = async (username: string, ids: number[]): Promise<RestClient> =>
  restClient(api.url, (await insertAccount(api.database.db, { username, bots: ids })).key);

describe('the readers of a bot', () => {
  test('are off until they are switched on', async () => {
    const bot = await api.addBot();
    await accept(bot, [1, 2]);
    expect(await readers(bot)).toEqual({
      pull: { reader: 'pull', state: 'off', behind: 0, keeps: 0 },
      push: { reader: 'push', state: 'off', behind: 0, keeps: 0, in_flight: 0 },
      rules: { reader: 'rules', state: 'off', behind: 0, keeps: 0, in_flight: 0 },
    });
  });

  test('say how far each consumer is, since when the oldest update waits, and what is kept for the slowest alone', async () => {
    const bot = await api.addBot({ long_poll_enabled: true });
    const beganMs = Date.now();
    await accept(bot, [1, 2, 3, 4, 5]);
    await poll(bot, { consumer: 'archive', offset: 2 });
    await poll(bot, { consumer: 'quick', offset: 6 });
    await poll(bot, { offset: 5 });
    const found = await readers(bot);
    expect(found.pull).toMatchObject({ state: 'ok', cursor: 4, behind: 1, keeps: 0 });
    expect(found.pull!.last_polled_by).toBe('admin, 127.0.0.1');
    const named = { headers: { 'user-agent': 'a-library/2.0' } };
    const polledBy = async () => (await readers(bot)).pull!.last_polled_by;
    // It is noted once a second at most.
    await waitFor(async () => {
      await fetch(`${api.url}/bot${bot.token}/getUpdates`, named);
      return (await polledBy()) === 'a-library/2.0, 127.0.0.1';
    });
    expect(found['consumer:quick']).toMatchObject({ state: 'ok', cursor: 5, behind: 0, keeps: 0 });
    expect(found['consumer:quick']).not.toHaveProperty('oldest_at');
    const archive = found['consumer:archive']!;
    expect(archive).toMatchObject({ state: 'ok', cursor: 1, behind: 4, keeps: 3 });
    for (const at of [archive.oldest_at, archive.last_polled_at, found.pull!.last_polled_at]) {
      expect(Date.parse(at!)).toBeGreaterThanOrEqual(beganMs);
      expect(Date.parse(at!)).toBeLessThanOrEqual(Date.now());
    }
  });

  test('count the updates of kinds that the bot receives, except for consumers, which may ask for any', async () => {
    const bot = await api.addBot({ long_poll_enabled: true, allowed_updates: ['message'] });
    await poll(bot, { consumer: 'all' });
    await accept(bot, [1, 2]);
    await accept(bot, [3, 4, 5], 'edited_message');
    const found = await readers(bot);
    expect(found.pull).toMatchObject({ behind: 2 });
    expect(found['consumer:all']).toMatchObject({ behind: 5 });
  });

  test('are paused while the bot is disabled, and keep their cursors', async () => {
    const bot = await api.addBot({ long_poll_enabled: true, proxy_enabled: true, backend_url: 'http://127.0.0.1:9/' });
    await accept(bot, [1, 2, 3]);
    await poll(bot, { consumer: 'archive' });
    await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: bot.id } });
    const found = await readers(bot);
    for (const reader of ['pull', 'push', 'consumer:archive']) {
      expect(found[reader]).toMatchObject({ state: 'paused', behind: 3 });
    }
  });

  test('are parked: push for an hour after it is switched off, and a consumer that has not polled for an hour', async () => {
    const pushed = await api.addBot({ proxy_enabled: true, backend_url: 'http://127.0.0.1:9/' });
    await accept(pushed, [1, 2]);
    await update(pushed, { proxy_enabled: false });
    const { push } = await readers(pushed);
    expect(push).toMatchObject({ state: 'parked', behind: 2, parked_until: expect.any(String) });
    expect(Math.abs(Date.parse(push!.parked_until!) - Date.now() - HOUR_MS)).toBeLessThan(60_000);

    const polled = await api.addBot({ long_poll_enabled: true });
    await poll(polled, { consumer: 'idle' });
    const { consumers } = botKeys(polled.id);
    await worker.redis.commands.hset(consumers, 'idle', `0 ${Date.now() - HOUR_MS - 1}`);
    await worker.redis.commands.hset(consumers, 'gone', `0 ${Date.now() - 24 * HOUR_MS - 1}`);
    const found = await readers(polled);
    expect(found['consumer:idle']).toMatchObject({ state: 'parked' });
    expect(found).not.toHaveProperty(['consumer:gone']);
  });

  test('show the breaker and the masked address of a backend, and none of its secrets, also to an admin’s key', async () => {
    const bot = await api.addBot({
      proxy_enabled: true,
      secret_token: 'the-secret-of-the-backend',
      backend_url: 'http://me:hush@127.0.0.1:9/hook?key=hidden',
    });
    const nowMs = Date.now();
    const opened = {
      failingSince: nowMs - 60_000,
      openUntil: nowMs + 30_000,
      probeIntervalMs: 60_000,
      pushOkAt: nowMs - 70_000,
    };
    const { state } = botKeys(bot.id);
    await worker.redis.commands.hset(state, { ...opened, pushErr: 'Connection refused', pushErrAt: nowMs - 1_000 });
    const answer = await ask(bot);
    const push = (answer.json as ReaderResource[]).find(({ reader }) => reader === 'push')!;
    expect(push).toMatchObject({
      state: 'open',
      next_probe_at: new Date(nowMs + 30_000).toISOString(),
      failing_since: new Date(nowMs - 60_000).toISOString(),
      last_error: 'Connection refused',
      last_error_at: new Date(nowMs - 1_000).toISOString(),
      last_success_at: new Date(nowMs - 70_000).toISOString(),
      backend_url: 'http://****@127.0.0.1:9/hook?key=****',
    });
    for (const secret of ['hush', 'hidden', 'the-secret-of-the-backend', bot.token]) {
      expect(answer.text).not.toContain(secret);
    }
    await worker.redis.commands.hset(state, 'pushOkAt', nowMs);
    expect((await readers(bot)).push).not.toHaveProperty('last_error');
  });

  test('are shown to those who have the bot, and nobody else learns whether it exists', async () => {
    const bot = await api.addBot({ long_poll_enabled: true });
    await poll(bot, { consumer: 'archive' });
    const [owner, stranger] = [await userOf('reader-owner', [bot.id]), await userOf('reader-stranger', [])];
    expect(await ask(bot, owner)).toMatchObject({ status: 200 });
    for (const id of [bot.id, 999_999]) expect(await ask({ id }, stranger)).toMatchObject({ status: 403 });
    expect(await ask({ id: 999_999 })).toMatchObject({ status: 404 });
    expect(await forget(bot, 'archive', stranger)).toMatchObject({ status: 403 });
    expect(await resume(bot, stranger)).toMatchObject({ status: 403 });
    expect((await readers(bot))['consumer:archive']).toBeDefined();
    expect(await forget(bot, 'archive', owner)).toMatchObject({ status: 200 });
  });

  test('are not known while Redis has lost the bot, until upkeep sets it up again', async () => {
    const bot = await api.addBot();
    const { state } = botKeys(bot.id);
    const kept = await worker.redis.commands.hgetall(state);
    await worker.redis.commands.del(state);
    expect(await ask(bot)).toMatchObject({ status: 503, json: { code: 'unavailable' } });
    await worker.redis.commands.hset(state, kept);
    expect(await ask(bot)).toMatchObject({ status: 200 });
  });
});

describe('forgetting a consumer', () => {
  test('frees what the log kept for it, and is audited', async () => {
    const bot = await api.addBot({ long_poll_enabled: true });
    await accept(bot, [1, 2, 3]);
    await poll(bot, { consumer: 'archive' });
    await poll(bot, { offset: 4 });
    const { log, state } = botKeys(bot.id);
    await worker.redis.commands.hset(state, { keptFrom: 3, prevAck: 3 });
    expect(await worker.redis.commands.xlen(log)).toBe(3);
    expect(await forget(bot, 'archive')).toMatchObject({ status: 200, json: { ok: true } });
    expect(await worker.redis.commands.xlen(log)).toBe(0);
    expect(Object.keys(await readers(bot))).toEqual(['pull', 'push', 'rules']);
    expect(await audited('consumer_forget', bot)).toMatchObject([
      { bot_id: bot.id, actor_username: 'admin', details: 'consumer archive' },
    ]);
  });

  test('is 404 for one that the bot does not have, and leaves no entry', async () => {
    const bot = await api.addBot({ long_poll_enabled: true });
    expect(await forget(bot, 'archive')).toMatchObject({ status: 404, json: { error: 'Consumer not found' } });
    expect(await audited('consumer_forget', bot)).toEqual([]);
  });
});

describe('resuming a backend', () => {
  test('is 400 for a bot that forwards nothing or is disabled, and leaves no entry', async () => {
    const bot = await api.addBot({ proxy_enabled: false, backend_url: 'http://127.0.0.1:9/' });
    const refused = { status: 400, json: { error: 'The bot has no backend to send to' } };
    expect(await resume(bot)).toMatchObject(refused);
    await update(bot, { proxy_enabled: true });
    await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: bot.id } });
    expect(await resume(bot)).toMatchObject({ status: 400, json: { error: 'The bot is disabled' } });
    expect(await audited('backend_resume', bot)).toEqual([]);
    await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: bot.id } });
    await worker.redis.commands.del(botKeys(bot.id).recentTry('push'));
    expect(await resume(bot)).toMatchObject({ status: 200 });
    expect(await audited('backend_resume', bot)).toMatchObject([{ bot_id: bot.id, actor_username: 'admin' }]);
  });
});
