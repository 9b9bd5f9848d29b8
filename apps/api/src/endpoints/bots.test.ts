import { readFile } from 'node:fs/promises';
import type { BotResource } from '@flotilla/contract/bots.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, programKeys } from '@flotilla/redis/keys.ts';
import { startBackend } from '@flotilla/testing/backend.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, testApi } from '@flotilla/testing/test-api.ts';
import { startTlsAuthority } from '@flotilla/testing/tls-authority.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const TOKEN_REFUSED = {
  code: 'token_refused',
  error: 'Telegram refused this bot token',
  details: [{ path: 'token', reason: 'was refused by Telegram' }],
};

const api = testApi();

const update = (body: object) => api.admin('POST', '/api/bots/update', { body });
const listed = async (client: RestClient, id: number) => {
  const bots = (await client('GET', '/api/bots')).json as BotResource[];
  return bots.find((bot) => bot.id === id);
};

describe('adding a bot', () => {
  test('asks the platform who it is and fills in the defaults', async () => {
    const known = await api.platform.createBot({ username: 'asked_bot' });
    const { json } = await api.admin('POST', '/api/bots/add', { body: { token: known.token } });
    expect(json).toEqual({
      id: expect.any(Number),
      token: known.token,
      name: known.name,
      username: 'asked_bot',
      source: 'web',
      manage_enabled: true,
      proxy_enabled: false,
      backend_url: '',
      signing_enabled: false,
      upstream: 'default',
      environment: 'production',
      secret_token: '',
      long_poll_enabled: false,
      description: '',
      labels: [],
      running: false,
      webhook_mode: false,
      disabled: false,
      pace: { per_second: 25, per_chat_second: 1, per_group_minute: 20 },
      max_connections: 40,
      silent_after_s: 300,
      flood: 'pass',
      flood_until: null,
      intake: { way: 'polling', since: expect.any(String) },
      last_error: '',
      pending_update_count: 0,
      backend_state: 'ok',
      attention: [],
      adopts: false,
      template: {},
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  test('with a backend forwards to it, unless forwarding is switched off', async () => {
    const backend_url = 'http://127.0.0.1:9/';
    expect(await api.addBot({ backend_url })).toMatchObject({ proxy_enabled: true });
    expect(await api.addBot({ backend_url, proxy_enabled: false })).toMatchObject({ proxy_enabled: false });
    expect(await api.addBot({ backend_url: '' })).toMatchObject({ proxy_enabled: false });
  });

  test('takes what a list showed of another bot, and ignores its read-only fields', async () => {
    const first = await api.addBot({
      name: 'First',
      description: 'one of many',
      allowed_updates: ['Message', 'unheard_of'],
    });
    expect(first.allowed_updates).toEqual(['message', 'unheard_of']);
    const { token } = await api.platform.createBot({});
    const second = (await api.admin('POST', '/api/bots/add', { body: { ...first, token } })).json as BotResource;
    const { allowed_updates } = first;
    expect(second).toMatchObject({ name: 'First', description: 'one of many', allowed_updates });
    expect(second.id).not.toBe(first.id);
  });

  test('is 409 for a token that is registered, also by two at once', async () => {
    const { token } = await api.platform.createBot({});
    const add = () => api.admin('POST', '/api/bots/add', { body: { token } });
    const statuses = (await Promise.all([add(), add()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409]);
    expect((await add()).json).toMatchObject({ code: 'conflict' });
  });

  test('is 400 for what is no token, and says of one that the platform does not know that it refused it', async () => {
    for (const path of ['/api/bots/add', '/api/bots/validate']) {
      const malformed = await api.admin('POST', path, { body: { token: 'nonsense' } });
      expect(malformed.json).toMatchObject({ code: 'bad_request', details: [{ path: 'token' }] });
      const unknown = await api.admin('POST', path, { body: { token: '123:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' } });
      expect(unknown.status).toBe(400);
      expect(unknown.json).toMatchObject({ ...TOKEN_REFUSED, error_code: 401 });
      const bot = await api.platform.createBot({});
      const effect = { kind: 'status', status: 404, description: 'Not Found' } as const;
      await api.platform.setFault({ bot: bot.id, method: 'getMe', effect, count: 1 });
      const impossible = await api.admin('POST', path, { body: { token: bot.token } });
      expect(impossible.json).toMatchObject({ ...TOKEN_REFUSED, error_code: 404 });
    }
  });

  test('removes a webhook that stood at the platform and keeps what waits there', async () => {
    const bot = await api.platform.createBot({});
    await fetch(`${api.platformUrl}/bot${bot.token}/setWebhook?url=https://old.example/hook`);
    await api.admin('POST', '/api/bots/add', { body: { token: bot.token } });
    const { calls } = await api.platform.readCalls({ bot: bot.id, method: 'deleteWebhook' });
    expect(calls).toHaveLength(1);
    expect(JSON.stringify(calls[0])).not.toContain('"drop_pending_updates":"true"');
  });

  test('tells a platform that is down, garbled, slow down or silent from one that refuses', async () => {
    const bot = await api.platform.createBot({});
    const validate = () => api.admin('POST', '/api/bots/validate', { body: { token: bot.token } });
    const withFault = async (effect: Parameters<typeof api.platform.setFault>[0]['effect']) => {
      await api.platform.setFault({ bot: bot.id, method: 'getMe', effect, count: 1 });
      return validate();
    };
    expect((await withFault({ kind: 'status', status: 200, body: '<html>' })).json).toMatchObject({
      code: 'platform_failed',
    });
    for (const result of ['null', '[]', '"bot"', '{"id":"7"}', '{"first_name":"Nobody"}']) {
      const garbled = await withFault({ kind: 'status', status: 200, body: `{"ok":true,"result":${result}}` });
      expect(garbled).toMatchObject({ status: 502, json: { code: 'platform_failed' } });
    }
    expect((await withFault({ kind: 'reset' })).status).toBe(502);
    const failing = await withFault({ kind: 'status', status: 500, description: 'Internal Server Error: restart' });
    expect(failing).toMatchObject({ status: 502, json: { code: 'platform_failed' } });
    expect(failing.text).toContain('Internal Server Error: restart');
    const slowDown = await withFault({ kind: 'status', status: 429, retryAfterS: 17 });
    expect([slowDown.status, slowDown.headers.get('retry-after')]).toEqual([429, '17']);
    expect((await validate()).json).toEqual({ id: bot.id, username: bot.username, first_name: bot.name });
  });
});

describe('updating a bot', () => {
  test('changes what is named and nothing else, on every pod', async () => {
    const bot = await api.addBot({ name: 'Before', secret_token: 'kept' });
    const pod = await api.startPod();
    const answer = await update({ id: String(bot.id), name: 'After', long_poll_enabled: 'true', max_connections: '7' });
    const { max_connections: _old, ...rest } = bot;
    expect(answer.json).toEqual({ ...rest, name: 'After', long_poll_enabled: true, max_connections: 7, attention: [] });
    const elsewhere = restClient(pod.url, ADMIN_KEY);
    await waitFor(async () => (await listed(elsewhere, bot.id))?.name === 'After', { timeoutMs: 5000 });
  });

  test('takes back exactly what was listed', async () => {
    const bot = await api.addBot({ name: 'Round', backend_url: 'http://127.0.0.1:9/', allowed_updates: ['poll'] });
    expect((await update((await listed(api.admin, bot.id)) as object)).json).toEqual(bot);
  });

  test('does not trust the certificate of the old backend for a new one', async () => {
    const bot = await api.addBot();
    const { caFile } = await startTlsAuthority();
    const form = new FormData();
    form.set('url', 'https://127.0.0.1:9/old');
    form.set('certificate', new Blob([await readFile(caFile)]), 'ca.pem');
    const call = (method: string, body?: FormData) =>
      fetch(`${api.url}/tgapi/bot${bot.token}/${method}`, { method: 'POST', ...(body && { body }) });
    expect((await call('setWebhook', form)).status).toBe(200);
    const hasCertificate = async () =>
      ((await (await call('getWebhookInfo')).json()) as { result: { has_custom_certificate: boolean } }).result
        .has_custom_certificate;
    expect((await update({ id: bot.id, backend_url: 'https://127.0.0.1:9/old', description: 'kept' })).status).toBe(
      200,
    );
    expect(await hasCertificate()).toBe(true);
    expect((await update({ id: bot.id, backend_url: 'https://127.0.0.1:9/new' })).status).toBe(200);
    expect(await hasCertificate()).toBe(false);
  });

  test('refuses a backend without a scheme and says what it must begin with; one that is set already may be posted back', async () => {
    const bot = await api.addBot();
    for (const backend_url of ['127.0.0.1:9/hook', 'example.com', '//example.com/', 'ftp://example.com/']) {
      const reason = 'must begin with http:// or https://';
      const refusal = { error: `backend_url: ${reason}`, details: [{ path: 'backend_url', reason }] };
      expect(await update({ id: bot.id, backend_url })).toMatchObject({ status: 400, json: refusal });
      const { token } = await api.platform.createBot({});
      const added = await api.admin('POST', '/api/bots/add', { body: { token, backend_url } });
      expect(added).toMatchObject({ status: 400, json: refusal });
    }
    // setWebhook assumes https for an address without a scheme, as the platform does.
    const url = `${api.url}/tgapi/bot${bot.token}/setWebhook?url=127.0.0.1:9/hook`;
    expect((await fetch(url)).status).toBe(200);
    const shown = (await listed(api.admin, bot.id)) as BotResource;
    expect(shown.backend_url).toBe('127.0.0.1:9/hook');
    expect((await update({ ...shown, name: 'Posted back' })).json).toEqual({ ...shown, name: 'Posted back' });
  });

  test('keeps a backend URL whose masked form is given back', async () => {
    const bot = await api.addBot({ backend_url: 'http://user:pass@127.0.0.1:9/hook?key=value' });
    const account = await insertAccount(api.database.db, { username: 'sees-masked', bots: [bot.id] });
    const { backend_url } = (await listed(restClient(api.url, account.key), bot.id)) as BotResource;
    expect(backend_url).toBe('http://****@127.0.0.1:9/hook?key=****');
    expect((await update({ id: bot.id, backend_url })).json).toMatchObject({ backend_url: bot.backend_url });
  });

  test('clears what is set to nothing', async () => {
    const bot = await api.addBot({ backend_url: 'http://127.0.0.1:9/', secret_token: 's', allowed_updates: ['poll'] });
    const cleared = (await update({ id: bot.id, backend_url: '', secret_token: '', allowed_updates: null })).json;
    expect(cleared).toMatchObject({ backend_url: '', secret_token: '' });
    expect(cleared).not.toHaveProperty('allowed_updates');
  });

  test('takes a new token of the same bot, and not one of another', async () => {
    const known = await api.platform.createBot({});
    const bot = (await api.admin('POST', '/api/bots/add', { body: { token: known.token } })).json as BotResource;
    const { token } = await api.platform.revokeToken({ bot: known.id });
    expect((await update({ id: bot.id, token })).json).toMatchObject({ id: bot.id, token });
    const other = await api.platform.createBot({});
    expect((await update({ id: bot.id, token: other.token })).json).toMatchObject({ details: [{ path: 'token' }] });
    const revoked = `${known.id}:${'A'.repeat(35)}`;
    expect((await update({ id: bot.id, token: revoked })).json).toMatchObject(TOKEN_REFUSED);
  });

  test('refuses a backend where none may live, and names the setting', async () => {
    const bot = await api.addBot();
    const urls = [
      'http://10.0.0.1/',
      'http://169.254.169.254/latest',
      'http://[::1]:80/',
      'ftp://example.com/',
      'http://',
    ];
    for (const backend_url of urls) {
      const answer = await update({ id: bot.id, backend_url });
      expect({ backend_url, json: answer.json }).toMatchObject({ json: { details: [{ path: 'backend_url' }] } });
    }
    const { json } = await update({ id: bot.id, backend_url: 'http://10.0.0.1/' });
    expect(JSON.stringify(json)).toContain('BACKEND_ALLOWED_CIDRS');
  });

  test('is the same call with its inputs in the query', async () => {
    const bot = await api.addBot();
    const answer = await api.admin('POST', '/api/bots/update', {
      query: { id: bot.id, proxy_enabled: 1, name: 'By query' },
    });
    expect(answer.json).toMatchObject({ id: bot.id, proxy_enabled: true, name: 'By query' });
  });
});

describe('finding bots', () => {
  const idsBy = async (query: Record<string, string>) => {
    const answer = await api.admin('GET', '/api/bots', { query });
    expect(answer.headers.get('x-total-count')).toBe(String((answer.json as BotResource[]).length));
    return (answer.json as BotResource[]).map(({ id }) => id);
  };

  test('goes by a part of the name or the username, and by how an @username begins', async () => {
    const { id, username } = await api.addBot({ name: 'Harbour Master 77' });
    expect(await idsBy({ q: 'harbour MASTER' })).toEqual([id]);
    expect(await idsBy({ q: `@${username.slice(0, -1).toUpperCase()}` })).toContain(id);
    expect(await idsBy({ q: username.slice(1) })).toContain(id);
    expect(await idsBy({ q: `@${username.slice(1)}` })).not.toContain(id);
    expect(await idsBy({ q: 'nobody is called so' })).toEqual([]);
  });

  test('goes by their labels, which the fleet counts', async () => {
    const { id } = await api.addBot({ labels: ['agency: north', 'shop', 'shop'] });
    const other = await api.addBot({ labels: ['shop'] });
    expect(await idsBy({ label: 'shop' })).toEqual([id, other.id]);
    expect(await idsBy({ label: 'agency: north' })).toEqual([id]);
    expect(await idsBy({ label: 'Shop' })).toEqual([]);
    expect((await api.admin('GET', '/api/fleet')).json).toMatchObject({
      labels: [
        { label: 'agency: north', bots: 1 },
        { label: 'shop', bots: 2 },
      ],
    });
    expect((await update({ id, labels: ['a,b'] })).json).toMatchObject({ details: [{ path: 'labels.0' }] });
    expect((await update({ id, labels: Array.from({ length: 21 }, (_, at) => `label ${at}`) })).status).toBe(400);
    expect((await update({ id, labels: [] })).json).toMatchObject({ labels: [] });
    expect(await idsBy({ label: 'shop' })).toEqual([other.id]);
  });

  test('goes by how they do', async () => {
    const { id } = await api.addBot({ name: 'Sleeper' });
    await api.admin('POST', '/api/bots/toggle-disabled', { body: { id } });
    // No worker runs here, so nobody polls the other bots.
    const other = (await api.addBot({ name: 'Sleeper too' })).id;
    expect(await idsBy({ q: 'sleeper', state: 'disabled' })).toEqual([id]);
    expect(await idsBy({ q: 'sleeper', state: 'not_polled' })).toEqual([other]);
    expect(await idsBy({ q: 'sleeper', state: 'ok' })).toEqual([]);
    const redis = await connectRedis({ url: api.redis.url, log: { warn: () => {} } });
    await redis.commands.hset(botKeys(other).state, 'pollOkAt', Date.now());
    await redis.close();
    expect(await idsBy({ q: 'sleeper', state: 'ok' })).toEqual([other]);
  });
});

describe('what is wrong with a bot', () => {
  let redis: RedisHandles;
  beforeAll(async () => {
    redis = await connectRedis({ url: api.redis.url, log: { warn: () => {} } });
    api.endBefore(() => redis.close());
  });
  const hourAgoMs = Date.now() - 3_600_000;
  const since = new Date(hourAgoMs).toISOString();
  const shown = async (id: number) => (await api.admin('GET', '/api/bots/show', { query: { id } })).json as BotResource;

  test('says since when its backend has failed, whenever the last attempt was', async () => {
    const { id } = await api.addBot({ proxy_enabled: true, backend_url: 'http://127.0.0.1:9/' });
    const failed = { failingSince: hourAgoMs, pushErr: 'Connection refused', pushErrAt: Date.now() };
    await redis.commands.hset(botKeys(id).state, failed);
    const failing = await shown(id);
    expect(failing).toMatchObject({ backend_state: 'failing', failing_since: since });
    expect(failing.last_error_at).not.toBe(since);
    await redis.commands.hdel(botKeys(id).state, 'failingSince');
    expect(await shown(id)).not.toHaveProperty('failing_since');
  });

  test('says when its intake last worked, while it does not and the bot is enabled', async () => {
    const { id } = await api.addBot();
    expect(await shown(id)).not.toHaveProperty('not_polled_since');
    await redis.commands.hset(botKeys(id).state, { pollOkAt: hourAgoMs, pollErr: 'x', pollErrAt: Date.now() });
    expect(await shown(id)).toMatchObject({ running: false, not_polled_since: since });
    await redis.commands.hset(botKeys(id).state, { pollOkAt: Date.now() });
    expect(await shown(id)).not.toHaveProperty('not_polled_since');
    await redis.commands.hset(botKeys(id).state, { pollOkAt: hourAgoMs });
    await api.admin('POST', '/api/bots/toggle-disabled', { body: { id } });
    expect(await shown(id)).not.toHaveProperty('not_polled_since');
  });

  test('has its programs that fail or are parked, by which bots are found; not those that are paused', async () => {
    const [{ id: bot_id }, other] = [
      await api.addBot({ name: 'Troubled' }),
      await api.addBot({ name: 'Troubled too' }),
    ];
    await redis.commands.hset(botKeys(bot_id).state, 'pollOkAt', Date.now());
    const add = async (body: object) =>
      (await api.admin('POST', '/api/programs/add', { body: { bot_id, ...body } })).json as { id: number };
    const push = { mode: 'push', backend_url: 'http://127.0.0.1:9/' };
    const [failing, paused, parked] = [
      await add({ ...push, name: 'failing' }),
      await add({ ...push, name: 'paused' }),
      await add({ name: 'parked' }),
    ];
    await add({ ...push, name: 'fine' });
    const troubled = () => api.admin('GET', '/api/bots', { query: { q: 'troubled', attention: 'program_failing' } });
    expect((await troubled()).json).toEqual([]);
    for (const { id } of [failing, paused]) {
      await redis.commands.hset(programKeys(bot_id, id).state, 'failingSince', hourAgoMs);
    }
    await redis.commands.hset(programKeys(bot_id, parked.id).state, 'parkedAt', Date.now());
    await redis.commands.hset(botKeys(bot_id).consumers, `program:${parked.id}`, '0 0');
    await api.admin('POST', '/api/programs/toggle', { body: { id: paused.id, enabled: false } });
    const found = await troubled();
    expect(found.headers.get('x-total-count')).toBe('1');
    const attention = [
      expect.objectContaining({ kind: 'program_parked', program_id: parked.id }),
      expect.objectContaining({
        kind: 'program_failing',
        program_id: failing.id,
        since: new Date(hourAgoMs).toISOString(),
      }),
    ];
    expect(found.json).toMatchObject([{ id: bot_id, backend_state: 'ok', running: true, attention }]);
    expect(await shown(bot_id)).toMatchObject({ attention });
    expect(await shown(other.id)).toMatchObject({ attention: [] });
    await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: bot_id } });
    expect(await shown(bot_id)).toMatchObject({ attention: [] });
  });
});

describe('listing bots', () => {
  test('shows a user the bots assigned to it, with tokens and secrets masked', async () => {
    const [mine, other] = [await api.addBot({ secret_token: 'hidden-secret' }), await api.addBot()];
    const account = await insertAccount(api.database.db, { username: 'lister', bots: [mine.id] });
    const answer = await restClient(api.url, account.key)('GET', '/api/bots');
    expect(answer.headers.get('x-total-count')).toBe('1');
    expect(answer.json).toEqual([{ ...mine, token: `${mine.token.split(':')[0]}:****`, secret_token: '****' }]);
    expect(answer.text).not.toContain('hidden-secret');
    const all = await insertAccount(api.database.db, { username: 'sees-all', bots: null });
    expect(await listed(restClient(api.url, all.key), other.id)).toMatchObject({
      token: expect.stringContaining('****'),
    });
  });

  test('has only the bots of these ids, without those that are gone or that the caller does not see', async () => {
    const [one, foreign, other] = [await api.addBot(), await api.addBot(), await api.addBot()];
    const account = await insertAccount(api.database.db, { username: 'of-two', bots: [one.id, other.id] });
    const query = { ids: [other.id, one.id, foreign.id, one.id, 1_000_000].join(',') };
    const answer = await restClient(api.url, account.key)('GET', '/api/bots', { query });
    expect((answer.json as BotResource[]).map(({ id }) => id)).toEqual([one.id, other.id]);
    expect(answer.headers.get('x-total-count')).toBe('2');
  });

  test('pages by limit, offset and the cursor of its Link', async () => {
    for (let added = 0; added < 3; added += 1) await api.addBot();
    const total = ((await api.admin('GET', '/api/bots')).json as BotResource[]).length;
    const first = await api.admin('GET', '/api/bots', { query: { limit: 2 } });
    const second = await api.admin('GET', /^<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '');
    const [one, two] = [first, second].map(({ json }) => (json as BotResource[]).map(({ id }) => id));
    const byOffset = await api.admin('GET', '/api/bots', { query: { limit: 2, offset: 2 } });
    expect(two).toEqual((byOffset.json as BotResource[]).map(({ id }) => id));
    expect(one).not.toEqual(two);
    expect(first.headers.get('x-total-count')).toBe(String(total));
    expect((await api.admin('GET', '/api/bots', { query: { offset: total } })).json).toEqual([]);
  });
});

describe('sorting bots', () => {
  const STATES: Record<string, Record<string, number>> = {
    'sorted Bot 10': { allowedCount: 9, pullCursorCount: 2, updateAt: 3_000 },
    'Sorted bot 9': { allowedCount: 9, pullCursorCount: 9, updateAt: 5_000 },
    'sorted ünder': { allowedCount: 50, pullCursorCount: 0 },
    'sorted UNDER': { allowedCount: 7, pullCursorCount: 0, updateAt: 5_000 },
  };
  const names: Record<number, string> = {};
  beforeAll(async () => {
    const redis = await connectRedis({ url: api.redis.url, log: { warn: () => {} } });
    for (const [name, state] of Object.entries(STATES)) {
      const { id } = await api.addBot({ name, long_poll_enabled: true });
      names[id] = name;
      await redis.commands.hset(botKeys(id).state, state);
    }
    await redis.close();
  });
  const list = (query: Record<string, string | number>) => api.admin('GET', '/api/bots', { query });
  const shown = ({ json }: RestAnswer) => (json as BotResource[]).map(({ id }) => names[id]);
  const ORDERS = {
    name: ['Sorted bot 9', 'sorted Bot 10', 'sorted ünder', 'sorted UNDER'],
    pending: ['sorted ünder', 'sorted Bot 10', 'sorted UNDER', 'Sorted bot 9'],
    last_update: ['Sorted bot 9', 'sorted UNDER', 'sorted Bot 10', 'sorted ünder'],
  };

  test.each(Object.entries(ORDERS))('goes by %s, and pages by the cursor of its Link', async (sort, order) => {
    const query = { q: 'sorted', sort };
    expect(shown(await list(query))).toEqual(order);
    expect(shown(await list({ ...query, limit: 2, offset: 1 }))).toEqual(order.slice(1, 3));
    const paged: (string | undefined)[] = [];
    let next: RestAnswer | null = await list({ ...query, limit: 1 });
    while (next !== null) {
      expect(next.headers.get('x-total-count')).toBe('4');
      paged.push(...shown(next));
      const link: string | undefined = /^<([^>]+)>/.exec(next.headers.get('link') ?? '')?.[1];
      next = link === undefined ? null : await api.admin('GET', link);
    }
    expect(paged).toEqual(order);
  });

  test('goes together with a state', async () => {
    expect(shown(await list({ q: 'sorted', state: 'not_polled', sort: 'pending' }))).toEqual(ORDERS.pending);
    expect(shown(await list({ q: 'sorted', state: 'ok', sort: 'pending' }))).toEqual([]);
  });

  test('refuses the cursor of another order', async () => {
    const { headers } = await list({ q: 'sorted', sort: 'pending', limit: 1 });
    const before = new URL(/^<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? '', api.url).searchParams.get(
      'before',
    )!;
    for (const sort of [{ sort: 'last_update' }, { sort: 'name' }, {}]) {
      expect(await list({ q: 'sorted', ...sort, before } as Record<string, string>)).toMatchObject({ status: 400 });
    }
  });

  test('takes a cursor with the longest name there is', async () => {
    const first = await api.addBot({ name: '\u0001'.repeat(128) });
    const second = await api.addBot({ name: `${'\u0001'.repeat(127)}z` });
    const one = await list({ q: '\u0001', sort: 'name', limit: 1 });
    const two = await api.admin('GET', /^<([^>]+)>/.exec(one.headers.get('link') ?? '')?.[1] ?? '');
    expect([one, two].flatMap(({ json }) => (json as BotResource[]).map(({ id }) => id)).sort()).toEqual(
      [first.id, second.id].sort(),
    );
  });
});

test('disabling stops a bot and enabling restores it', async () => {
  const bot = await api.addBot();
  const toggle = (query: Record<string, number>) => api.admin('POST', '/api/bots/toggle-disabled', { query });
  expect((await toggle({ bot_id: bot.id })).json).toMatchObject({ id: bot.id, disabled: true, running: false });
  const send = await api.admin('POST', '/api/messages/send', { body: { bot_id: bot.id, chat_id: 1, text: 'x' } });
  expect(send.json).toMatchObject({ code: 'bad_request', error: 'The bot is disabled' });
  expect((await toggle({ id: bot.id })).json).toMatchObject({ disabled: false });
});

test('deleting takes the bot everywhere, and refuses to guess between two ids', async () => {
  const [bot, other] = [await api.addBot(), await api.addBot()];
  const twoIds = await api.admin('POST', '/api/bots/delete', { body: { id: bot.id, bot_id: other.id } });
  expect(twoIds.json).toMatchObject({ details: [{ path: 'bot_id', reason: 'contradicts id' }] });
  const noText = await api.admin('POST', '/api/bots/delete', { body: { id: [{ toString: null }], bot_id: bot.id } });
  expect(noText.json).toMatchObject({ code: 'bad_request', details: [{ path: 'bot_id' }, { path: 'id' }] });
  expect((await api.admin('POST', '/api/bots/delete', { body: { bot_id: bot.id } })).json).toEqual({ ok: true });
  expect(await listed(api.admin, bot.id)).toBeUndefined();
  expect((await api.admin('POST', '/api/bots/delete', { query: { id: bot.id } })).status).toBe(404);
  expect(await listed(api.admin, other.id)).toBeDefined();
});

test('health asks the backend as flotilla, and says 400 where there is none', async () => {
  const backend = await startBackend(({ url }, response) => void response.writeHead(Number(url.slice(1))).end());
  const bot = await api.addBot();
  const health = async (status: number) => {
    await update({ id: bot.id, backend_url: `${backend.url}/${status}` });
    return (await api.admin('GET', '/api/bots/health', { query: { id: bot.id } })).json;
  };
  for (const status of [200, 204, 302, 405]) {
    expect(await health(status)).toMatchObject({ healthy: true, status_code: status });
  }
  for (const status of [400, 401, 403, 404, 410, 429, 500, 503]) {
    expect(await health(status)).toMatchObject({ healthy: false, status_code: status });
  }
  expect(backend.requests[0]).toMatchObject({ method: 'GET', headers: { 'user-agent': 'flotilla' } });
  await backend.stop();
  const gone = await api.admin('GET', '/api/bots/health', { query: { bot_id: bot.id } });
  expect(gone.json).toMatchObject({ healthy: false, status_code: 0 });
  const without = await api.addBot();
  expect((await api.admin('GET', '/api/bots/health', { query: { id: without.id } })).status).toBe(400);
});
