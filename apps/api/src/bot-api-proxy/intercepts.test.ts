import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { ADMIN_KEY, startTestApi, TEST_ENCRYPTION_KEY, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';

/** Read once, because texts made before and after a change of second must be equal. */
const NOW_S = Math.floor(Date.now() / 1000);

type Envelope = { ok: boolean; result?: unknown; description?: string; error_code?: number; parameters?: object };
type Answer = { status: number; headers: Headers; body: Envelope; text: string; ms: number };

let api: TestApi;
let admin: RestClient;
/** A second context on the same Redis, which accepts updates as a worker does. */
let worker: Context;

beforeAll(async () => {
  api = await startTestApi();
  admin = restClient(api.url, ADMIN_KEY);
  const env = {
    DATABASE_URL: api.database.url,
    REDIS_URL: api.redis.url,
    ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
  };
  worker = await createContext(readConfig(env), { log: createLogger({ name: 'worker', level: 'silent' }) });
});
afterAll(async () => {
  await worker.close();
  await api.stop();
});

async function call(
  token: string,
  method: string,
  init: RequestInit & { query?: string; base?: string } = {},
): Promise<Answer> {
  const begunAtMs = performance.now();
  const url = `${init.base ?? api.url}/tgapi/bot${token}/${method}${init.query ? `?${init.query}` : ''}`;
  const response = await fetch(url, init);
  const text = await response.text();
  const body = (text === '' ? {} : JSON.parse(text)) as Envelope;
  return { status: response.status, headers: response.headers, body, text, ms: performance.now() - begunAtMs };
}
const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
async function newBot(settings: object = {}): Promise<{ id: number; token: string }> {
  const { token } = await api.platform.createBot({});
  const added = await admin('POST', '/api/bots/add', { body: { token, ...settings } });
  expect(added.status).toBe(200);
  return added.json as { id: number; token: string };
}
const info = async (token: string) => (await call(token, 'getWebhookInfo')).body.result as Record<string, unknown>;
/** Retries, because setWebhook is allowed once per second. */
async function set(token: string, parameters: object): Promise<Answer> {
  return waitFor(async () => {
    const answer = await call(token, 'setWebhook', json(parameters));
    return answer.status !== 429 && answer;
  }) as Promise<Answer>;
}
async function accept(token: string, ...raws: string[]): Promise<void> {
  const bot = (await waitFor(() => worker.directory.byToken(token))) as Bot;
  const sliced = sliceUpdates(`{"ok":true,"result":[${raws.join(',')}]}`);
  await acceptUpdates(worker, bot, sliced?.updates ?? []);
}
const update = (id: number) =>
  `{"update_id":${id},\n"message":{"message_id":${id},"date":${NOW_S},"chat":{"id":5,"type":"private"},"big":9007199254740993}}`;

/** Most run in parallel, because a second must pass between two calls of setWebhook; each has a bot of its own. */
describe('setWebhook', () => {
  test.concurrent('sets the backend, says when it is set already, and shows it byte for byte', async () => {
    const { token } = await newBot();
    const parameters = { url: 'http://127.0.0.1:9/Hook%20x?a=b', secret_token: 's_-1', max_connections: '1000' };
    expect((await set(token, parameters)).body).toEqual({ ok: true, result: true, description: 'Webhook was set' });
    expect((await set(token, parameters)).body).toEqual({
      ok: true,
      result: true,
      description: 'Webhook is already set',
    });
    expect(await info(token)).toEqual({
      url: parameters.url,
      has_custom_certificate: false,
      pending_update_count: 0,
      max_connections: 100,
    });
    const dropped = await set(token, { ...parameters, drop_pending_updates: true });
    expect(dropped.body.description).toBe('Webhook was set');
  });

  test.concurrent('turns proxy mode on for everybody to see, and every process follows', async () => {
    const { token, id } = await newBot();
    await set(token, { url: 'http://127.0.0.1:9/x', secret_token: 'abc', allowed_updates: ['message', 'Hologram'] });
    const bots = (await admin('GET', '/api/bots')).json as Record<string, unknown>[];
    expect(bots.find((bot) => bot.id === id)).toMatchObject({
      backend_url: 'http://127.0.0.1:9/x',
      secret_token: 'abc',
      proxy_enabled: true,
      allowed_updates: ['message', 'hologram'],
      max_connections: 40,
    });
    await waitFor(() => worker.directory.byToken(token)?.proxy_enabled === true);
  });

  test('is taken once a second', async () => {
    const { token } = await newBot();
    const answers = await Promise.all(
      [1, 2, 3].map(() => call(token, 'setWebhook', json({ url: 'http://127.0.0.1:9/' }))),
    );
    const refused = answers.filter((answer) => answer.status === 429);
    expect(refused).toHaveLength(2);
    expect(refused[0]?.body).toEqual({
      ok: false,
      error_code: 429,
      description: 'Too Many Requests: retry after 1',
      parameters: { retry_after: 1 },
    });
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
  });

  test.concurrent.each([
    [{ url: 'ftp://example.com' }, 'Bad Request: invalid webhook URL specified'],
    [{ url: 'https://example.com:99999' }, 'Bad Request: invalid webhook URL specified'],
    [{ url: 'https://127.0.0.1/', secret_token: 'x'.repeat(257) }, 'Bad Request: secret token is too long'],
    [{ url: 'https://127.0.0.1/', secret_token: 'a!' }, 'Bad Request: secret token contains unallowed characters'],
    [{ url: 'http://10.0.0.1/' }, expect.stringContaining('BACKEND_ALLOWED_CIDRS')],
    [{ url: 'http://169.254.169.254/' }, expect.stringMatching(/^Bad Request: bad webhook: .*never allowed/)],
    [{ url: 'http://[64:ff9b::a9fe:a9fe]/' }, expect.stringMatching(/^Bad Request: bad webhook: /)],
    [{ url: 'http://metadata.google.internal/' }, expect.stringMatching(/^Bad Request: bad webhook: /)],
    [{ url: 'https://example.com/', ip_address: 'nowhere' }, 'Bad Request: bad webhook: Invalid IP address specified'],
    [{ url: 'https://example.com/', ip_address: '10.0.0.1' }, expect.stringContaining('BACKEND_ALLOWED_CIDRS')],
    [{ url: 'https://example.com/', ip_address: '169.254.169.254' }, expect.stringContaining('never allowed')],
    [{ url: 'http://10.0.0.1/', ip_address: '127.0.0.1' }, expect.stringContaining('BACKEND_ALLOWED_CIDRS')],
  ])('is refused with its reason, and the working backend stays: case %#', async (parameters, description) => {
    const { token } = await newBot();
    await set(token, { url: 'http://127.0.0.1:9/works' });
    expect((await set(token, parameters)).body).toEqual({ ok: false, error_code: 400, description });
    expect(await info(token)).toMatchObject({ url: 'http://127.0.0.1:9/works' });
  });

  test('a refused one costs no second: the next may follow at once', async () => {
    const { token } = await newBot();
    const tries = [
      { url: 'http://169.254.169.254/' },
      { url: 'ftp://example.com' },
      { url: 'http://127.0.0.1:9/', secret_token: 'a!' },
      { url: 'http://127.0.0.1:9/works' },
    ];
    const statuses = [];
    for (const parameters of tries) statuses.push((await call(token, 'setWebhook', json(parameters))).status);
    expect(statuses).toEqual([400, 400, 400, 200]);
    expect((await call(token, 'setWebhook', json({ url: 'http://127.0.0.1:9/again' }))).status).toBe(429);
  });

  test.concurrent('a URL without a scheme is an https one, as at the platform, and is shown as it was set', async () => {
    const { token } = await newBot();
    expect((await set(token, { url: '127.0.0.1:9/hook' })).body.description).toBe('Webhook was set');
    expect(await info(token)).toMatchObject({ url: '127.0.0.1:9/hook' });
  });

  test.concurrent('a host that does not resolve yet is saved', async () => {
    const { token } = await newBot();
    expect((await set(token, { url: 'https://not-yet.invalid/hook' })).body.description).toBe('Webhook was set');
  });

  test.concurrent.each(['', 'url=', 'url=&drop_pending_updates=1'])('with %j it is deleteWebhook', async (query) => {
    const { token } = await newBot();
    await set(token, { url: 'http://127.0.0.1:9/' });
    expect((await call(token, 'setWebHook', { query })).body.description).toBe('Webhook was deleted');
    expect((await call(token, 'setWebHook', { query })).body.description).toBe('Webhook is already deleted');
    expect(await info(token)).toEqual({ url: '', has_custom_certificate: false, pending_update_count: 0 });
  });

  test.concurrent('keeps the address of ip_address, until another webhook or backend is set', async () => {
    const { id, token } = await newBot();
    const pinned = { url: 'https://name.invalid/hook', ip_address: '127.0.0.1' };
    await set(token, pinned);
    expect(await info(token)).toMatchObject({ url: pinned.url, ip_address: '127.0.0.1' });
    expect((await set(token, pinned)).body.description).toBe('Webhook is already set');
    await admin('POST', '/api/bots/update', { body: { id, backend_url: 'https://other.invalid/' } });
    expect(await info(token)).not.toHaveProperty('ip_address');
  });

  test.concurrent('keeps a certificate that is uploaded, in any kind of multipart', async () => {
    const { token } = await newBot();
    for (const head of ['name="certificate"; filename="cert.pem"', 'name="certificate";filename=my cert.pem']) {
      const body = `--b\r\ncontent-disposition:form-data;${head}\r\n\r\n${CERTIFICATE}\r\n--b--\r\n`;
      const query = 'url=https://127.0.0.1:9/&certificate=';
      const headers = { 'content-type': 'multipart/form-data; boundary=b' };
      const answer = (await waitFor(async () => {
        const tried = await call(token, 'setWebhook', { method: 'POST', query, headers, body });
        return tried.status !== 429 && tried;
      })) as Answer;
      expect(answer.body.description).toBe('Webhook was set');
      expect(await info(token)).toMatchObject({ has_custom_certificate: true });
    }
  });

  test.concurrent('an unknown token is 401, and never reaches the platform', async () => {
    const bot = await api.platform.createBot({});
    const answer = await call(bot.token, 'setWebhook', json({ url: 'http://127.0.0.1:9/' }));
    expect(answer).toMatchObject({ status: 401, body: { ok: false, error_code: 401, description: 'Unauthorized' } });
    expect((await api.platform.readCalls({ bot: bot.id })).total).toBe(0);
  });

  test('registers an unknown token where the settings say so, and refuses one the platform does not know', async () => {
    const pod = await api.startPod({ AUTO_REGISTER_BOTS: '1' });
    const bot = await api.platform.createBot({});
    const answer = await call(bot.token, 'setWebhook', { ...json({ url: 'http://127.0.0.1:9/' }), base: pod.url });
    expect(answer.body).toEqual({ ok: true, result: true, description: 'Webhook was set' });
    const listed = (await admin('GET', '/api/bots')).json as { token: string; source: string }[];
    expect(listed.find(({ token }) => token === bot.token)).toMatchObject({ source: 'cli' });
    const stranger = await call('77:AAnobodynobodynobodynobodynobodyx', 'setWebhook', {
      ...json({ url: 'http://127.0.0.1:9/' }),
      base: pod.url,
    });
    expect(stranger.status).toBe(401);
  });

  test('registers a token of the test environment, which the path names, and no other one in that form', async () => {
    const pod = await api.startPod({ AUTO_REGISTER_BOTS: '1' });
    const bot = await api.platform.createBot({ test: true });
    const set = (form: string) =>
      fetch(`${pod.url}/bot${bot.token}/${form}setWebhook?url=${encodeURIComponent('http://127.0.0.1:9/')}`);
    expect((await set('')).status).toBe(401);
    expect((await set('test/')).status).toBe(200);
    const listed = (await admin('GET', '/api/bots')).json as { token: string }[];
    expect(listed.find(({ token }) => token === bot.token)).toMatchObject({ environment: 'test', source: 'cli' });
  });

  test.each([
    [{ url: 'http://169.254.169.254/' }, 400, /^Bad Request: bad webhook: /],
    [{ url: 'ftp://example.com' }, 400, /^Bad Request: invalid webhook URL/],
    [{ url: 'http://127.0.0.1:9/', secret_token: 'a!' }, 400, /^Bad Request: secret token/],
    [{ url: '' }, 200, /^Webhook is already deleted$/],
    [{}, 200, /^Webhook is already deleted$/],
  ])('registers no unknown token for what sets no webhook: case %#', async (parameters, status, description) => {
    const pod = await api.startPod({ AUTO_REGISTER_BOTS: '1' });
    const bot = await api.platform.createBot({});
    const answer = await call(bot.token, 'setWebhook', { ...json(parameters), base: pod.url });
    expect(answer).toMatchObject({ status, body: { description: expect.stringMatching(description) } });
    const listed = (await admin('GET', '/api/bots')).json as { token: string }[];
    expect(listed.filter(({ token }) => token === bot.token)).toEqual([]);
    expect((await api.platform.readCalls({ bot: bot.id, method: 'getMe' })).calls).toEqual([]);
    // A refused setWebhook does not use up the second of the next one.
    const then = await call(bot.token, 'setWebhook', { ...json({ url: 'http://127.0.0.1:9/' }), base: pod.url });
    expect(then.body.description).toBe('Webhook was set');
  });

  test('of a token that is not registered and not to be, without a URL, is 401 like any other', async () => {
    const pod = await api.startPod({ AUTO_REGISTER_BOTS: '1', PROXY_UNKNOWN_BOTS: 'reject' });
    const bot = await api.platform.createBot({});
    expect((await call(bot.token, 'setWebhook', { ...json({ url: '' }), base: pod.url })).status).toBe(401);
    expect((await api.platform.readCalls({ bot: bot.id })).total).toBe(0);
  });
});

describe('getUpdates', () => {
  test.concurrent('is answered empty, and not refused, when its bot is deleted while it waits', async () => {
    const { id, token } = await newBot({ long_poll_enabled: true });
    const waiting = call(token, 'getUpdates', { query: 'timeout=20' });
    await waitFor(() => worker.redis.commands.hget(botKeys(id).state, 'pulledAt'));
    expect((await admin('POST', '/api/bots/delete', { body: { id } })).status).toBe(200);
    expect(await waiting).toMatchObject({ status: 200, body: { ok: true, result: [] } });
  });

  test.concurrent('gives nothing to a poll whose token was replaced while it waited', async () => {
    const { id, token } = await newBot({ long_poll_enabled: true });
    const waiting = call(token, 'getUpdates', { query: 'timeout=20' });
    await waitFor(() => worker.redis.commands.hget(botKeys(id).state, 'pulledAt'));
    const platformId = Number(token.split(':')[0]);
    const renewed = (await api.platform.revokeToken({ bot: platformId })).token;
    expect((await admin('POST', '/api/bots/update', { body: { id, token: renewed } })).status).toBe(200);
    await accept(renewed, update(1));
    expect(await waiting).toMatchObject({ status: 401, body: { ok: false, error_code: 401 } });
    expect((await call(renewed, 'getUpdates')).body.result).toHaveLength(1);
  });

  test.concurrent('serves the buffer with the platform’s bytes', async () => {
    const { token } = await newBot({ long_poll_enabled: true });
    await accept(token, update(101), update(102), update(103));
    const answer = await call(token, 'GETUPDATES', { query: 'limit=2&timeout=0' });
    expect(answer.text).toBe(`{"ok":true,"result":[${update(101)},\n${update(102)}]}`);
    expect(answer.headers.get('content-type')).toBe('application/json');
  });

  test('wakes when an update comes, and acknowledges by offset', async () => {
    const { token } = await newBot({ long_poll_enabled: true });
    const waiting = call(token, 'getUpdates', json({ timeout: '30', offset: 0 }));
    await waitFor(async () => (await metric('flotilla_proxy_waiting_polls')) >= 1);
    await accept(token, update(7));
    expect((await waiting).body.result).toHaveLength(1);
    expect((await call(token, 'getUpdates', { query: 'offset=8&timeout=0' })).body.result).toEqual([]);
    expect(await info(token)).toMatchObject({ pending_update_count: 0 });
  });

  test.concurrent.each([
    ['GET with a query', { query: 'limit=1' }],
    [
      'urlencoded',
      { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'limit=1' },
    ],
    ['JSON with a string', json({ limit: '1' })],
    ['JSON with junk, which is 0 and so 1', json({ limit: 'abc' })],
    ['a limit of 0, which is 1', json({ limit: 0 })],
    ['POST with a query and no body', { method: 'POST', query: 'limit=1' }],
    ['a query that wins over the body', { ...json({ limit: 5 }), query: 'limit=1' }],
    [
      'multipart beside an empty file',
      multipart('--b\r\nContent-Disposition: form-data; name="limit"\r\n\r\n1\r\n--b--\r\n'),
    ],
  ])('parameters come as %s', async (_shape, init) => {
    const { token } = await newBot({ long_poll_enabled: true });
    await accept(token, update(1), update(2), update(3));
    expect((await call(token, 'getUpdates', init)).body.result).toHaveLength(1);
  });

  test.concurrent.each([
    ['a literal null', { ...json(null) }],
    ['broken JSON', { ...json(null), body: '{"limit":' }],
    ['empty multipart', multipart('')],
    ['no body at all', { method: 'POST' }],
    ['another content type', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'limit=1' }],
  ])('%s is no error and means the defaults', async (_what, init) => {
    const { token } = await newBot({ long_poll_enabled: true });
    await accept(token, update(1), update(2));
    expect((await call(token, 'getUpdates', init)).body.result).toHaveLength(2);
  });

  test('several pollers are welcome, and each gets a new update', async () => {
    const { token } = await newBot({ long_poll_enabled: true });
    const polls = [1, 2, 3].map(() => call(token, 'getUpdates', { query: 'timeout=20' }));
    await waitFor(async () => (await metric('flotilla_proxy_waiting_polls')) >= 3);
    await accept(token, update(11));
    for (const poll of await Promise.all(polls)) expect(poll).toMatchObject({ status: 200, body: { result: [{}] } });
  });

  test.concurrent('the same offset asked for again at once is answered with the same updates', async () => {
    const { token } = await newBot({ long_poll_enabled: true });
    await accept(token, update(21), update(22));
    for (let time = 0; time < 3; time += 1) {
      expect((await call(token, 'getUpdates', { query: 'offset=21' })).body.result).toHaveLength(2);
    }
  });

  test.concurrent('goes on beside a backend: both are given every update', async () => {
    const { token } = await newBot({
      long_poll_enabled: true,
      proxy_enabled: true,
      backend_url: 'http://127.0.0.1:9/hook',
    });
    await accept(token, update(31));
    expect((await call(token, 'getUpdates', { query: 'timeout=0' })).body.result).toHaveLength(1);
    expect(await info(token)).toMatchObject({ url: 'http://127.0.0.1:9/hook', pending_update_count: 1 });
  });

  test.concurrent('allowed_updates is kept for the bot, as at the platform', async () => {
    const { token } = await newBot({ long_poll_enabled: true });
    const kinds = async () => (await info(token)).allowed_updates;
    await call(token, 'getUpdates', json({ allowed_updates: ['message'] }));
    expect(await kinds()).toEqual(['message']);
    await call(token, 'getUpdates', json({ allowed_updates: 'message', offset: 1 }));
    expect(await kinds()).toEqual(['message']);
    await call(token, 'getUpdates', json({ allowed_updates: [], offset: 2 }));
    expect(await kinds()).toBeUndefined();
  });

  describe('of a bot without long polling', () => {
    /** Just below the 3 s for which the proxy holds a spinning poll: a longer wait means that it was held. */
    const SPIN_HOLD_MS = 2900;

    test.concurrent('is held for its timeout and answered empty', async () => {
      const { token } = await newBot();
      const answer = await call(token, 'getUpdates', { query: 'timeout=1' });
      expect(answer.body).toEqual({ ok: true, result: [] });
      expect(answer.ms).toBeGreaterThan(990);
    });

    test('cannot spin: repeated at once without a timeout it takes 3 s', async () => {
      const { token } = await newBot();
      const { ms: first } = await call(token, 'getUpdates');
      const { ms: again } = await call(token, 'getUpdates');
      expect(again).toBeGreaterThan(Math.max(first, SPIN_HOLD_MS));
    });

    test.concurrent('is held when the bot is disabled, while its other calls are 403', async () => {
      const { token, id } = await newBot({ long_poll_enabled: true });
      await admin('POST', '/api/bots/toggle-disabled', { body: { id } });
      const answer = await call(token, 'getUpdates', { query: 'timeout=1' });
      expect(answer).toMatchObject({ status: 200, body: { ok: true, result: [] } });
      expect(answer.ms).toBeGreaterThan(990);
      const refused = await call(token, 'sendMessage', json({ chat_id: 1, text: 'x' }));
      expect(refused).toMatchObject({
        status: 403,
        body: { error_code: 403, description: expect.stringMatching(/disabled/) },
      });
    });
  });
});

describe('deleteWebhook', () => {
  test.concurrent('tells whether there was one, and drops what waits when asked', async () => {
    const { token } = await newBot();
    await set(token, { url: 'http://127.0.0.1:9/' });
    await accept(token, update(1));
    await waitFor(async () => (await info(token)).pending_update_count === 1);
    expect((await call(token, 'deleteWebhook', { query: 'drop_pending_updates=True' })).body).toEqual({
      ok: true,
      result: true,
      description: 'Webhook was deleted',
    });
    expect(await info(token)).toEqual({ url: '', has_custom_certificate: false, pending_update_count: 0 });
    expect((await call(token, 'deleteWebhook')).body.description).toBe('Webhook is already deleted');
  });

  test.concurrent('of an unknown bot is the platform’s business, like getWebhookInfo', async () => {
    const bot = await api.platform.createBot({});
    expect((await call(bot.token, 'deleteWebhook')).body.description).toBe('Webhook is already deleted');
    expect((await call(bot.token, 'getWebhookInfo')).body.ok).toBe(true);
    expect((await api.platform.readCalls({ bot: bot.id })).total).toBe(2);
  });
});

describe('what never goes on to the platform', () => {
  test.concurrent.each(['logOut', 'close', 'LOGOUT', 'test/close', '?method=logOut', 'log%4fut'])(
    '%s',
    async (path) => {
      const stranger = await api.platform.createBot({});
      const known = await newBot();
      for (const token of [stranger.token, known.token]) {
        expect((await call(token, path)).body).toEqual({ ok: true, result: true });
      }
      expect((await api.platform.readCalls({ bot: stranger.id })).total).toBe(0);
    },
  );

  test.concurrent.each(['get%55pdates', 'test/getUpdates', '?method=getUpdates'])(
    'a getUpdates spelled %s',
    async (path) => {
      const { token } = await newBot();
      expect((await call(token, path)).body).toEqual({ ok: true, result: [] });
      const inBody = await call(token, '', json({ method: 'getUpdates', offset: 1 }));
      expect(inBody.body).toEqual({ ok: true, result: [] });
      const bot = Number(token.split(':')[0]);
      expect((await api.platform.readCalls({ bot, method: 'getupdates' })).calls).toEqual([]);
    },
  );

  test.concurrent('a verb that is no call', async () => {
    const { token } = await newBot();
    for (const method of ['PUT', 'DELETE', 'OPTIONS']) {
      expect(await call(token, 'getUpdates', { method })).toMatchObject({ status: 501, text: '' });
    }
  });
});

describe('an unknown bot', () => {
  test('is refused where the settings say so', async () => {
    const pod = await api.startPod({ PROXY_UNKNOWN_BOTS: 'reject' });
    const { token } = await api.platform.createBot({});
    expect(await call(token, 'getMe', { base: pod.url })).toMatchObject({
      status: 401,
      body: { description: 'Unauthorized' },
    });
    const polled = await call(token, 'getUpdates', { base: pod.url });
    expect(polled.status).toBe(401);
    expect(polled.ms).toBeGreaterThan(900);
  });
});

describe('limits', () => {
  test.concurrent('more than 1 MiB of parameters is 413', async () => {
    const { token } = await newBot();
    const answer = await call(token, 'getUpdates', json({ x: 'x'.repeat(1_100_000) }));
    expect(answer).toMatchObject({ status: 413, body: { ok: false, error_code: 413 } });
  });

  test.concurrent('JSON a hundred thousand levels deep is read up to there, as at the platform', async () => {
    const { token } = await newBot({ long_poll_enabled: true });
    const body = `{"__proto__":{"x":1},"limit":1,"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    await accept(token, update(1), update(2));
    expect((await call(token, 'getUpdates', { ...json(null), body })).body.result).toHaveLength(1);
  });
});

describe('without Redis', () => {
  test('nobody can tell whose bot it is: 503 with a time to come back, in the platform’s envelope', async () => {
    const { token } = await newBot({ long_poll_enabled: true });
    api.redis.kill();
    try {
      const polled = (await waitFor(async () => {
        const answer = await call(token, 'getUpdates', { query: 'timeout=0' });
        return answer.status === 503 && answer;
      })) as Answer;
      expect(polled.body).toMatchObject({
        ok: false,
        error_code: 503,
        parameters: { retry_after: expect.any(Number) },
      });
      expect(Number(polled.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(polled.ms).toBeGreaterThan(900);
    } finally {
      await api.redis.restart();
    }
    await waitFor(async () => (await call(token, 'getMe')).status === 200);
  });
});

function multipart(body: string): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=b' }, body };
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${api.metricsPort}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

/** Made with openssl for this test; nobody has its key. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBizCCATGgAwIBAgIUBTBbSyhhkaNSALpwX30Ud/aMaFswCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPYmFja2VuZC5leGFtcGxlMCAXDTI2MTEyMDEyMDU0OFoYDzIx
MjYxMDI3MTIwNTQ4WjAaMRgwFgYDVQQDDA9iYWNrZW5kLmV4YW1wbGUwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAAReGVJ7/hmujrFch9nQ4rF3b/NZFYsof4rOO2J5
eOoJErjgPZgjun/MYhOJtDRyDV2t481vJwhAG2iPVvvTF1ljo1MwUTAdBgNVHQ4E
FgQUaHedOwpaK6oZS7QnV0mqAGgYZ60wHwYDVR0jBBgwFoAUaHedOwpaK6oZS7Qn
V0mqAGgYZ60wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiBlscVn
usT0slQ8sZ8Ic4p1937cXQnc5pf++sWSn/oqzgIhALAW8MyGZh8A4vk+6gQdQizf
KI7q+c6NPHulgbjsuHTI
-----END CERTIFICATE-----`;
