import { connectDatabase } from '@flotilla/database/connect.ts';
import { botStore } from '@flotilla/domain/fleet/bots/bot-store.ts';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ledger } from './ledger.ts';

/** Read once, because texts made before and after a change of second must be equal. */
const NOW_S = Math.floor(Date.now() / 1000);

let fleet: Fleet;
let redis: RedisHandles;
let backend: TestBackend;
const book = ledger();

beforeAll(async () => {
  fleet = await startFleet({ apis: 2, workers: 1 }, { PUBLIC_URL: 'http://127.0.0.1:1' });
  redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
  backend = await startBackend((request, response) => {
    if (request.url === '/under-load') book.record(request.text);
    response.end();
  });
}, 60_000);
afterAll(async () => {
  await backend.stop();
  await redis.close();
  await fleet.stop();
}, 60_000);

const webhook = (bot: FleetBot) => fleet.control.readWebhook({ bot: bot.platformId });
/** Sets a webhook at the platform, past us; it takes one a second. */
const setWebhook = (bot: FleetBot, url: string) =>
  waitFor(async () => (await fetch(`${fleet.simulator.url}/bot${bot.token}/setWebhook?url=${url}`)).status === 200, {
    timeoutMs: 60_000,
    message: 'the platform to take a webhook',
  });
const secretOf = async (bot: FleetBot) => (await webhook(bot)).secretToken;
const push = async (
  bot: FleetBot,
  body: string,
  headers: Record<string, string> = {},
  api = fleet.apis[0]!,
): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${api.port}/telegram/${bot.id}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-telegram-bot-api-secret-token': await secretOf(bot),
      ...headers,
    },
    body,
  });
  return response.status;
};
const update = (id: number, text = `t${id} @`) =>
  `{"update_id":${id},\n"message":{"message_id":${id},"date":${NOW_S},"chat":{"id":5,"type":"private"},"text":"${text}"}}`;
const pulled = async (bot: FleetBot): Promise<number[]> => {
  const { result } = await fleet.rest<{ result: { update_id: number }[] }>(
    `/api/updates/poll?bot_id=${bot.id}&timeout=0`,
  );
  return result.map(({ update_id }) => update_id);
};

/** Most tests of a group run in parallel, because each waits for a check; no two of them share a bot. */
describe('intake by webhook', () => {
  test.concurrent('a push with our secret is in the log when it is answered; without it nothing is told', async () => {
    const bot = await fleet.addBot({ long_poll_enabled: true, webhook_mode: true });
    expect(await webhook(bot)).toMatchObject({ url: `http://127.0.0.1:1/telegram/${bot.id}` });
    expect(await push(bot, update(100))).toBe(200);
    expect(await pulled(bot)).toEqual([100]);
    expect(await push(bot, update(101), { 'x-telegram-bot-api-secret-token': 'wrong' })).toBe(401);
    expect(await push({ ...bot, id: 99_999 }, update(101))).toBe(401);
    expect(await push(bot, 'no update')).toBe(400);
    expect(await push(bot, JSON.stringify({ update_id: 1, message: { text: 'x'.repeat(1_100_000) } }))).toBe(413);
    expect(await pulled(bot)).toEqual([100]);
  });

  test('the same update a hundred times at once to two pods is one update', async () => {
    const bot = await fleet.addBot({ long_poll_enabled: true, webhook_mode: true });
    const statuses = await Promise.all(
      Array.from({ length: 100 }, (_, at) => push(bot, update(7), {}, fleet.apis[at % 2]!)),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await pulled(bot)).toEqual([7]);
    await waitFor(async () => (await fleet.rest<unknown[]>(`/api/messages?bot_id=${bot.id}&chat_id=5`)).length === 1);
  });

  test.concurrent('ids that arrive out of order or jump down are renumbered, and each is delivered once to push and to pull', async () => {
    const seen: number[] = [];
    const bot = await fleet.addBot({
      long_poll_enabled: true,
      webhook_mode: true,
      proxy_enabled: true,
      backend_url: `${backend.url}/renumbered`,
    });
    for (const id of [500, 502, 501, 3]) expect(await push(bot, update(id))).toBe(200);
    expect(await pulled(bot)).toEqual([500, 502, 503, 504]);
    await waitFor(() => {
      seen.splice(0);
      for (const request of backend.requests) {
        if (request.url === '/renumbered') seen.push(JSON.parse(request.text).update_id);
      }
      return seen.length === 4;
    });
    expect(seen).toEqual([500, 502, 503, 504]);
  });

  test('a disabled bot is refused with 503, and its webhook is gone until it is enabled again', async () => {
    const bot = await fleet.addBot({ long_poll_enabled: true, webhook_mode: true });
    const secret = await secretOf(bot);
    await fleet.rest('/api/bots/toggle-disabled', { id: bot.id });
    expect((await webhook(bot)).url).toBe('');
    await waitFor(async () => (await push(bot, update(1), { 'x-telegram-bot-api-secret-token': secret })) === 503);
    await fleet.rest('/api/bots/toggle-disabled', { id: bot.id });
    expect((await webhook(bot)).url).not.toBe('');
    await waitFor(async () => (await push(bot, update(2))) === 200);
    await waitFor(async () => {
      const bots = await fleet.rest<{ id: number; running: boolean }[]>('/api/bots');
      return bots.find(({ id }) => id === bot.id)?.running === true;
    });
  });

  test('the webhook of a bot that is disabled is gone, although a worker sets it before that is stored', async () => {
    const bot = await fleet.addBot({ webhook_mode: true });
    const { url } = await webhook(bot);
    const db = connectDatabase({ url: fleet.database.url, maxConnections: 1 });
    let disabling: Promise<unknown> | undefined;
    await db.transaction().execute(async (transaction) => {
      await botStore(transaction).lock(bot.id);
      disabling = fleet.rest('/api/bots/toggle-disabled', { id: bot.id });
      await waitFor(async () => (await webhook(bot)).url === '', { message: 'the webhook to be removed' });
      await setWebhook(bot, url);
    });
    await db.destroy();
    await disabling;
    expect((await webhook(bot)).url).toBe('');
  });

  test.concurrent.each([
    'deleteWebhook',
    'setWebhook?url=http://127.0.0.1:2/telegram/<bot>',
    'setWebhook?url=<ours>&allowed_updates=["message"]',
    'setWebhook?url=<ours>&max_connections=7',
  ])('a webhook that somebody changed at the platform is made ours again: %s', async (call) => {
    const bot = await fleet.addBot({ webhook_mode: true, long_poll_enabled: true });
    const ours = await webhook(bot);
    const change = async () => {
      const answer = await fetch(
        `${fleet.simulator.url}/bot${bot.token}/${call.replace('<ours>', ours.url).replace('<bot>', `${bot.id}`)}`,
      );
      return answer.status === 200 && JSON.stringify(await webhook(bot)) !== JSON.stringify(ours);
    };
    await waitFor(change, { message: 'the platform to take a webhook again' });
    // Workers check webhooks once a minute; without this key the next check is due now.
    await redis.commands.del(botKeys(bot.id).webhookCheck);
    const isOurs = async () => JSON.stringify(await webhook(bot)) === JSON.stringify(ours);
    await waitFor(isOurs, { timeoutMs: 20_000, message: 'a webhook that is ours' });
    expect(await push(bot, update(1))).toBe(200);
  });

  test.concurrent('a webhook that somebody gave another secret is made ours again once we have refused a push', async () => {
    const own = await startFleet({ apis: 0, workers: 0 });
    try {
      // The platform connects to the api itself, so both kinds of processes must know its port.
      const port = await freePort();
      const settings = { PUBLIC_URL: `http://127.0.0.1:${port}` };
      await Promise.all([own.start('api', settings, port), own.start('worker', settings)]);
      const bot = await own.addBot({ webhook_mode: true, long_poll_enabled: true });
      const { url, secretToken } = await own.control.readWebhook({ bot: bot.platformId });
      const call = `setWebhook?url=${url}&secret_token=another`;
      const change = async () => (await fetch(`${own.simulator.url}/bot${bot.token}/${call}`)).status === 200;
      await waitFor(change, { message: 'the platform to take a webhook again' });
      await own.control.generate({ bots: [bot.platformId], chats: 1, count: 1 });
      await waitFor(async () => {
        const { last_error_message: refusal } = await own.control.readWebhook({ bot: bot.platformId });
        return refusal?.includes('401') === true;
      });
      const keys = await connectRedis({ url: own.redis.url, log: { warn: () => {} } });
      await keys.commands.del(botKeys(bot.id).webhookCheck).finally(() => keys.close());
      const read = () => own.rest<{ result: unknown[] }>(`/api/updates/poll?bot_id=${bot.id}&timeout=0`);
      await waitFor(async () => (await read()).result.length === 1, {
        timeoutMs: 20_000,
        message: 'the refused update',
      });
      expect((await own.control.readWebhook({ bot: bot.platformId })).secretToken).toBe(secretToken);
    } finally {
      await own.stop();
    }
  }, 60_000);

  test.concurrent('what is wrong with the webhook is told with its time, and no more once the platform says it is right', async () => {
    const bot = await fleet.addBot({ webhook_mode: true });
    const shown = async () => {
      const bots = await fleet.rest<{ id: number; last_error: string; last_error_at?: string }[]>('/api/bots');
      return bots.find(({ id }) => id === bot.id);
    };
    // Workers check webhooks once a minute; without this key the next check is due now.
    const look = () => redis.commands.del(botKeys(bot.id).webhookCheck);
    const effect = { kind: 'status', status: 401, description: 'Unauthorized' } as const;
    const { faultId } = await fleet.control.setFault({ bot: bot.platformId, method: 'getWebhookInfo', effect });
    await look();
    await waitFor(async () => (await shown())?.last_error !== '', { timeoutMs: 20_000, message: 'the error' });
    expect(await shown()).toMatchObject({ last_error_at: expect.stringMatching(/^\d{4}-.*Z$/) });
    await fleet.control.clearFaults({ faultId });
    await look();
    await waitFor(async () => (await shown())?.last_error === '', { timeoutMs: 20_000, message: 'no error' });
    expect(await shown()).not.toHaveProperty('last_error_at');
  }, 60_000);

  test.concurrent('goes with its bot, and a bot whose webhook the platform did not take is polled', async () => {
    const bot = await fleet.addBot({ webhook_mode: true });
    await fleet.rest('/api/bots/delete', { id: bot.id });
    expect((await webhook(bot)).url).toBe('');
    const { token, id } = await fleet.control.createBot({});
    const effect = { kind: 'status', status: 500, description: 'Internal Server Error' } as const;
    await fleet.control.setFault({ bot: id, method: 'setWebhook', effect, count: 1 });
    const adding = fleet.rest('/api/bots/add', { token, webhook_mode: true });
    await expect(adding).rejects.toThrow('The bot was added with the id');
    const bots = await fleet.rest<{ token: string; webhook_mode: boolean }[]>('/api/bots');
    expect(bots.find((one) => one.token === token)).toMatchObject({ webhook_mode: false });
  });

  test.concurrent('is switched off with the new token of a bot whose token was revoked', async () => {
    const bot = await fleet.addBot({ webhook_mode: true });
    const { token } = await fleet.control.revokeToken({ bot: bot.platformId });
    await fleet.rest('/api/bots/update', { id: bot.id, token, webhook_mode: false });
    expect((await webhook(bot)).url).toBe('');
  });

  test.concurrent('webhook_mode without a PUBLIC_URL is refused with a sentence that names it', async () => {
    const other = await startFleet({ apis: 1, workers: 0 });
    try {
      await expect(other.addBot({ webhook_mode: true })).rejects.toThrow('PUBLIC_URL');
    } finally {
      await other.stop();
    }
  });
});

describe('switching the intake', () => {
  test.concurrent('a webhook of ours that was set after the bot was switched to polling is removed, and polling goes on', async () => {
    const bot = await fleet.addBot({ webhook_mode: true, long_poll_enabled: true });
    const { url } = await webhook(bot);
    await fleet.rest('/api/bots/update', { id: bot.id, webhook_mode: false });
    await setWebhook(bot, url);
    await fleet.control.generate({ bots: [bot.platformId], chats: 1, count: 1 });
    await waitFor(async () => (await pulled(bot)).length === 1, { timeoutMs: 60_000, message: 'the update' });
    expect((await webhook(bot)).url).toBe('');
  }, 120_000);

  const INTAKES: [name: string, webhookMode: boolean][] = [
    ['a polled bot', false],
    ['a bot with webhook mode', true],
  ];
  type Shown = { running: boolean; intake: object; attention: { kind: string; text: string }[] };
  const FOREIGN = 'http://127.0.0.1:1/elsewhere';
  const shown = (bot: FleetBot) => fleet.rest<Shown>(`/api/bots/show?id=${bot.id}`);
  const kinds = async (bot: FleetBot) => (await shown(bot)).attention.map(({ kind }) => kind);
  const untilForeign = (bot: FleetBot) =>
    waitFor(async () => (await kinds(bot)).includes('foreign_webhook'), {
      timeoutMs: 60_000,
      message: 'attention',
    });
  const proxied = async (bot: FleetBot, method: string) => {
    const answer = await fetch(`http://127.0.0.1:${fleet.apis[0]!.port}/tgapi/bot${bot.token}/${method}`);
    return ((await answer.json()) as { result: unknown }).result;
  };
  const foreignBot = async (webhookMode: boolean): Promise<FleetBot> => {
    const bot = await fleet.addBot({ long_poll_enabled: true, webhook_mode: webhookMode });
    await setWebhook(bot, FOREIGN);
    // Workers check webhooks once a minute; without this key the next check is due now.
    await redis.commands.del(botKeys(bot.id).webhookCheck);
    await untilForeign(bot);
    return bot;
  };

  test.concurrent.each(INTAKES)(
    'a webhook that another service set for %s stays, is told with its host, and is taken back without a loss',
    async (_name, webhookMode) => {
      const bot = await foreignBot(webhookMode);
      expect((await webhook(bot)).url).toBe(FOREIGN);
      const way = webhookMode ? 'webhook' : 'polling';
      expect(await shown(bot)).toMatchObject({
        intake: { way, foreign_webhook_host: '127.0.0.1:1', since: expect.any(String) },
        attention: [{ kind: 'foreign_webhook', severity: 'error', text: expect.stringContaining('127.0.0.1:1') }],
      });
      expect(await proxied(bot, 'getWebhookInfo')).toMatchObject({
        url: '',
        last_error_message: expect.stringContaining('127.0.0.1:1'),
      });
      await fleet.control.generate({ bots: [bot.platformId], chats: 1, count: 3 });
      const taken = await fleet.rest('/api/bots/take-back', { id: bot.id });
      expect(taken).toEqual({ ok: true, removed_url_host: '127.0.0.1:1' });
      expect((await webhook(bot)).url).toBe(webhookMode ? `http://127.0.0.1:1/telegram/${bot.id}` : '');
      if (webhookMode) expect(await push(bot, update(1))).toBe(200);
      else await waitFor(async () => (await pulled(bot)).length === 3, { message: 'what waited at the platform' });
      await waitFor(async () => (await kinds(bot)).length === 0, { message: 'no attention' });
      const entries = await fleet.rest<{ details: string }[]>(`/api/adminlog?bot_id=${bot.id}&action=take_back`);
      expect(entries).toMatchObject([{ details: 'from 127.0.0.1:1' }]);
    },
    120_000,
  );

  test.concurrent.each(INTAKES)(
    'a webhook that another service set for %s stays when the bot is switched off here, which takes nothing any more',
    async (_name, webhookMode) => {
      const bot = await foreignBot(webhookMode);
      await fleet.rest('/api/bots/toggle-disabled', { id: bot.id });
      expect((await webhook(bot)).url).toBe(FOREIGN);
      await expect(fleet.rest('/api/bots/take-back', { id: bot.id })).rejects.toThrow('disabled');
    },
    120_000,
  );

  test.concurrent.each(INTAKES)(
    'a webhook that another service set for %s goes with a deleteWebhook of the program',
    async (_name, webhookMode) => {
      const bot = await foreignBot(webhookMode);
      expect(await proxied(bot, 'deleteWebhook')).toBe(true);
      expect((await webhook(bot)).url).not.toBe(FOREIGN);
      await waitFor(async () => !(await kinds(bot)).includes('foreign_webhook'));
    },
    120_000,
  );

  test.concurrent('under load, from polling to webhook and back, loses nothing and keeps the order', async () => {
    const own = await startFleet({ apis: 0, workers: 0 });
    try {
      // The platform connects to the api itself, so both kinds of processes must know its port.
      const port = await freePort();
      const settings = { PUBLIC_URL: `http://127.0.0.1:${port}` };
      await Promise.all([own.start('api', settings, port), own.start('worker', settings)]);
      const bot = await own.addBot({ proxy_enabled: true, backend_url: `${backend.url}/under-load` });
      await own.control.generate({ bots: [bot.platformId], chats: 5, count: 1500, perSecond: 150 });
      for (const [webhookMode, until] of [
        [true, 300],
        [false, 700],
        [true, 1100],
      ] as const) {
        await waitFor(() => book.count() >= until, { timeoutMs: 20_000 });
        await own.rest('/api/bots/update', { id: bot.id, webhook_mode: webhookMode });
      }
      await waitFor(() => book.count() === 1500, { timeoutMs: 30_000, message: 'every update' });
      expect(book.faults(300)).toEqual([]);
      expect((await own.control.readWebhook({ bot: bot.platformId })).url).toContain(`:${port}/telegram/`);
    } finally {
      await own.stop();
    }
  }, 120_000);
});
