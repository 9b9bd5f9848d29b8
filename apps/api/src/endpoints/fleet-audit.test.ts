import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_PASSWORD, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const api = testApi({ AUTO_REGISTER_BOTS: '1', TRUSTED_PROXIES: '127.0.0.0/8' });
let bot: BotResource;
let ada: TestAccount;
let asAda: RestClient;

beforeAll(async () => {
  bot = await api.addBot();
  ada = await insertAccount(api.database.db, { username: 'ada', role: 'admin', bots: null });
  asAda = restClient(api.url, ada.key);
});

type Query = Record<string, string | number>;
const ask = (query: Query, client = api.admin) => client('GET', '/api/adminlog', { query });
const entriesOf = (answer: RestAnswer) => answer.json as AuditEntryResource[];
const log = async (query: Query = {}, client = api.admin) => entriesOf(await ask(query, client));
const newest = async (query: Query = {}) => (await log({ ...query, limit: 1 }))[0];
const post = async (path: string, body: object, client = api.admin) => {
  const answer = await client('POST', path, { body });
  expect(answer).toMatchObject({ status: 200 });
  return answer.json as Record<string, unknown>;
};
const proxied = (token: string, method: string, params: Record<string, string> = {}, from = '198.51.100.7') =>
  fetch(`${api.url}/tgapi/bot${token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify(params),
  });

describe('an audit entry', () => {
  test('says what changed about a bot, from what to what, and of secrets only that they changed', async () => {
    const { token, id: telegramId } = await api.platform.createBot({ name: 'Herald', username: 'herald_bot' });
    const added = await post('/api/bots/add', { token, secret_token: 'first-secret' });
    expect(await newest()).toMatchObject({ action: 'bot_add', bot_id: added.id });
    expect((await newest())?.details).toContain('name: "Herald"; username: "herald_bot"; token set');
    await post('/api/bots/update', {
      id: added.id,
      name: 'Crier',
      proxy_enabled: true,
      secret_token: 'second-secret',
      backend_url: `http://me:hush@127.0.0.1:9/hook/${token}?key=hidden`,
      allowed_updates: ['message', 'poll'],
    });
    expect(await newest()).toMatchObject({
      action: 'bot_update',
      details:
        'name: "Herald" → "Crier"; proxy_enabled: false → true; backend_url: "" → "http://****@127.0.0.1:9/hook/' +
        `${telegramId}:****?key=****"; ` +
        'secret_token changed; allowed_updates: null → ["message","poll"]',
    });
    await post('/api/bots/update', {
      id: added.id,
      backend_url: `http://me:louder@127.0.0.1:9/hook/${token}?key=hidden`,
      secret_token: '',
    });
    expect((await newest())?.details).toBe(
      `backend_url: "http://****@127.0.0.1:9/hook/${telegramId}:****?key=****", in a part that is not shown; secret_token removed`,
    );
    await post('/api/bots/toggle-disabled', { id: added.id });
    expect(await newest()).toMatchObject({ action: 'bot_disable', details: '' });
    await post('/api/bots/toggle-disabled', { id: added.id });
    expect(await newest()).toMatchObject({ action: 'bot_enable', details: '' });
    await post('/api/bots/delete', { id: added.id });
    expect(await newest()).toMatchObject({
      action: 'bot_delete',
      bot_id: added.id,
      details: 'name: "Crier"; username: "herald_bot"',
    });
    const everything = JSON.stringify(await log({ bot_id: Number(added.id) }));
    for (const secret of [
      token.slice(`${telegramId}:`.length),
      'first-secret',
      'second-secret',
      'hush',
      'louder',
      'hidden',
    ])
      expect(everything).not.toContain(secret);
  });

  test('says what changed about a rule, an account and a key', async () => {
    const rule = { source_bot_id: bot.id, target_bot_id: bot.id, condition_type: 'keyword', action: 'copy' };
    const { id } = await post('/api/routes/add', { ...rule, condition_value: 'invoice', target_chat_id: 5 });
    expect(await newest()).toMatchObject({ action: 'route_add', bot_id: bot.id });
    await post('/api/routes/update', { id, condition_value: 'order', enabled: false });
    const changes = `route ${id}; condition_value: "invoice" → "order"; enabled: true → false`;
    expect(await newest()).toMatchObject({ action: 'route_update', details: changes });
    await post('/api/routes/delete', { id });
    expect(await newest()).toMatchObject({ action: 'route_delete', bot_id: bot.id });

    const eve = await post('/api/auth/users/add', { username: 'eve', password: 'a long password', bot_ids: [bot.id] });
    const ofEve = { target_id: eve.id, target_username: 'eve' };
    expect(await newest()).toMatchObject({ action: 'account_add', ...ofEve });
    await post('/api/auth/users/update', {
      id: eve.id,
      display_name: 'Eve',
      bot_ids: null,
      password: 'other password',
    });
    expect(await newest()).toMatchObject({
      action: 'account_update',
      ...ofEve,
      details: `display_name: "" → "Eve"; bot_ids: [${bot.id}] → "all"; must_change_password: false → true; password changed`,
    });
    const key = await post('/api/auth/api-keys', { name: 'nightly', role: 'user', user_id: eve.id, bot_ids: [bot.id] });
    const added = `key ${key.id}; name: "nightly"; role: "user"; bot_ids: [${bot.id}]; bot_labels: []`;
    expect(await newest()).toMatchObject({ action: 'key_add', ...ofEve, details: added });
    await post('/api/auth/api-keys/toggle', { id: key.id, enabled: false });
    expect(await newest()).toMatchObject({
      action: 'key_disable',
      ...ofEve,
      details: `key ${key.id}; name: "nightly"`,
    });
    await post('/api/auth/users/reset-password', { id: eve.id, password: 'a third password', revoke_keys: true });
    expect(await newest()).toMatchObject({ action: 'password_reset', details: 'password changed; keys revoked' });
    await post('/api/auth/users/delete', { id: eve.id });
    expect(await newest()).toMatchObject({ action: 'account_delete', ...ofEve });
    expect(JSON.stringify(await log({ limit: 10 }))).not.toMatch(/(long|other|third) password/);
  });

  test('names the session or the key, the request, and the address behind trusted proxies', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const body = { username: ada.username, password: ada.password };
    const signedIn = await restClient(api.url)('POST', '/api/auth/login', { body, headers });
    const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
    const byAda = { actor_id: ada.id, actor_username: 'ada', address: '203.0.113.9' };
    const request_id = signedIn.headers.get('x-request-id');
    expect(await newest()).toMatchObject({ action: 'sign_in', actor_kind: 'account', ...byAda, request_id });
    expect(await newest()).not.toHaveProperty('actor_key_id');
    const named = { body: { id: bot.id, description: 'by a session' }, headers: { ...headers, cookie } };
    expect((await restClient(api.url)('POST', '/api/bots/update', named)).status).toBe(200);
    expect(await newest()).toMatchObject({ action: 'bot_update', actor_kind: 'account', ...byAda });
    const byKey = await asAda('POST', '/api/bots/update', { body: { id: bot.id, description: 'by a key' }, headers });
    expect(await newest()).toMatchObject({
      ...{ actor_kind: 'key', ...byAda, actor_key_id: expect.any(Number) },
      request_id: byKey.headers.get('x-request-id'),
    });
    await restClient(api.url)('POST', '/api/auth/logout', { headers: { ...headers, cookie } });
    expect(await newest()).toMatchObject({ action: 'sign_out', actor_kind: 'account', ...byAda });
    // An API key has no session to sign out of.
    await asAda('POST', '/api/auth/logout');
    expect(await log({ action: 'sign_out' })).toHaveLength(1);
  });

  test('of a new password names the account, and no password', async () => {
    const grace = await insertAccount(api.database.db, { username: 'grace' });
    const body = { old_password: grace.password, new_password: 'a password of her own' };
    await restClient(api.url, grace.key)('POST', '/api/auth/change-password', { body });
    const ofGrace = { actor_id: grace.id, target_id: grace.id, target_username: 'grace' };
    expect(await newest()).toMatchObject({ action: 'password_change', ...ofGrace, details: '' });
  });

  test('is cut where values are long, and blanks what looks like a secret', async () => {
    const description = `${'x'.repeat(300)} ${bot.token}`;
    await post('/api/bots/update', { id: bot.id, name: `flt_${'k'.repeat(30)}`, description });
    const details = (await newest())?.details ?? '';
    expect(details).toContain('flt_[redacted]');
    expect(details).toMatch(/x{199}…$/);
  });
});

describe('guessing passwords', () => {
  const guess = (username: string, from: string) => {
    const call = { body: { username, password: 'not the password' }, headers: { 'x-forwarded-for': from } };
    return restClient(api.url)('POST', '/api/auth/login', call);
  };
  const limits = () => log({ action: 'sign_in_limit' });

  test('leaves one entry when the limit is reached, with the account that was guessed at and from where', async () => {
    const carol = await insertAccount(api.database.db, { username: 'carol' });
    const before = await limits();
    for (let tries = 1; tries <= 4; tries += 1) expect((await guess('CAROL', '203.0.113.20')).status).toBe(401);
    expect(await limits()).toEqual(before);
    expect((await guess('carol', '203.0.113.20')).status).toBe(401);
    for (let tries = 1; tries <= 3; tries += 1) expect((await guess('carol', '203.0.113.20')).status).toBe(429);
    const [entry, ...older] = await limits();
    expect(older).toEqual(before);
    expect(entry).toMatchObject({
      actor_kind: 'account',
      address: '203.0.113.20',
      target_id: carol.id,
      target_username: 'carol',
      details: 'of the address; of the account',
    });
    expect(entry).not.toHaveProperty('actor_id');
  });

  test('names nobody where there is no such account: what was typed may be a password', async () => {
    const typed = (at: number) => `maybe-a-password-${at}`;
    for (let at = 1; at <= 5; at += 1) expect((await guess(typed(at), '203.0.113.21')).status).toBe(401);
    const [entry] = await limits();
    expect(entry).toMatchObject({ address: '203.0.113.21', details: 'of the address' });
    expect(entry).not.toHaveProperty('target_id');
    expect((await ask({ limit: 200 })).text).not.toContain('maybe-a-password');
  });

  test('with a session or a key that is somebody else’s names whose it is', async () => {
    const dan = await insertAccount(api.database.db, { username: 'dan' });
    const call = {
      body: { old_password: 'not the password', new_password: 'another long password' },
      headers: { 'x-forwarded-for': '203.0.113.22' },
    };
    const asDan = restClient(api.url, dan.key);
    for (let tries = 1; tries <= 5; tries += 1)
      expect((await asDan('POST', '/api/auth/change-password', call)).status).toBe(400);
    expect((await asDan('POST', '/api/auth/change-password', call)).status).toBe(429);
    const ofDan = { actor_kind: 'key', actor_id: dan.id, target_id: dan.id, address: '203.0.113.22' };
    expect(await limits()).toMatchObject([ofDan, {}, {}]);
  });
});

describe('what a bot changes with its token', () => {
  test('is in the audit log as done by the bot, with the address it came from', async () => {
    const { token } = await api.platform.createBot({ username: 'mover_bot' });
    expect((await proxied(token, 'setWebhook', { url: 'http://127.0.0.1:9/a' })).status).toBe(200);
    const [set, added] = await log({ limit: 2 });
    const byBot = { actor_kind: 'bot', actor_id: added?.bot_id, actor_username: 'mover_bot', address: '198.51.100.7' };
    expect(added).toMatchObject({ action: 'bot_add', ...byBot });
    expect(set).toMatchObject({ action: 'bot_update', ...byBot });
    expect(set?.details).toContain('backend_url: "" → "http://127.0.0.1:9/a"');
    await proxied(token, 'deleteWebhook', { drop_pending_updates: 'true' });
    expect(await newest()).toMatchObject({ action: 'bot_update', ...byBot });
    expect((await newest())?.details).toMatch(/^proxy_enabled: true → false; .*pending updates dropped$/);
    await proxied(token, 'getUpdates', { allowed_updates: '["poll"]' });
    await post('/api/bots/update', { id: added?.bot_id, long_poll_enabled: true });
    await proxied(token, 'getUpdates', { allowed_updates: '["poll"]' });
    expect(await newest()).toMatchObject({ ...byBot, details: 'allowed_updates: null → ["poll"]' });
  });

  test('has one entry an hour for logOut, which changes nothing', async () => {
    const known = await api.addBot();
    for (let call = 0; call < 3; call += 1) expect((await proxied(known.token, 'logOut')).status).toBe(200);
    await waitFor(async () => (await newest())?.action === 'bot_log_out');
    expect(await log({ action: 'bot_log_out' })).toMatchObject([
      { bot_id: known.id, actor_kind: 'bot', details: 'logout' },
    ]);
    expect((await proxied('4242:AAnobodyknowsthistokenandnobodywill', 'logOut')).status).toBe(200);
  });
});

describe('the audit log of the fleet', () => {
  test('is read by admins without a chat, and pages stably by its Link', async () => {
    for (let at = 0; at < 7; at += 1) await post('/api/bots/update', { id: bot.id, name: `name ${at}` });
    const first = await ask({ bot_id: bot.id, action: 'bot_update', limit: 3 });
    const total = Number(first.headers.get('x-total-count'));
    expect(total).toBeGreaterThanOrEqual(7);
    await post('/api/bots/update', { id: bot.id, name: 'meanwhile' });
    const seen = entriesOf(first);
    let link = first.headers.get('link');
    while (link !== null) {
      const next = await api.admin('GET', /^<([^>]+)>/.exec(link)![1]!);
      seen.push(...entriesOf(next));
      link = next.headers.get('link');
    }
    expect(seen).toHaveLength(total);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(total);
    const dates = seen.map(({ date }) => date);
    expect(dates).toEqual(dates.toSorted((one, other) => other - one));
  });

  test('is filtered by actor, action, bot and time, alone and together', async () => {
    const other = await api.addBot();
    await post('/api/bots/update', { id: other.id, name: 'by ada' }, asAda);
    await post('/api/bots/update', { id: other.id, name: 'by admin' });
    const ofAda = await log({ actor: 'ADA', action: 'bot_update', bot_id: other.id });
    expect(ofAda).toMatchObject([{ actor_id: ada.id, bot_id: other.id }]);
    expect(await log({ actor: ada.id, action: 'bot_update', bot_id: other.id })).toEqual(ofAda);
    expect(await log({ actor: 'nobody-of-that-name' })).toEqual([]);
    const at = ofAda[0]!.date;
    const dayBefore = new Date((at - 86_400) * 1000).toISOString();
    for (const { date } of await log({ from: at, to: at + 1 })) expect(date).toBe(at);
    expect((await log({ bot_id: other.id, from: dayBefore, to: at + 60 })).length).toBe(3);
    expect(await log({ bot_id: other.id, to: dayBefore })).toEqual([]);
    const wrong = await ask({ action: 'no_such_action', from: 'yesterday' });
    expect(wrong).toMatchObject({ status: 400 });
    const { details } = wrong.json as { details: { path: string; reason: string }[] };
    expect(details).toContainEqual({ path: 'from', reason: 'must be Unix seconds, or ISO 8601 with a zone' });
  });

  test('finds what an account did that is gone, and what was done to a bot that is gone', async () => {
    const gone = await insertAccount(api.database.db, { username: 'gone', role: 'admin', bots: null });
    const doomed = await api.addBot();
    await post('/api/bots/update', { id: doomed.id, name: 'renamed' }, restClient(api.url, gone.key));
    await post('/api/auth/users/delete', { id: gone.id });
    await post('/api/bots/delete', { id: doomed.id });
    expect(await log({ actor: 'gone' })).toMatchObject([{ action: 'bot_update', bot_id: doomed.id }]);
    const actions = (await log({ bot_id: doomed.id })).map(({ action }) => action);
    expect(actions).toEqual(['bot_delete', 'bot_update', 'bot_add']);
    expect(await ask({ bot_id: 999_999 })).toMatchObject({ status: 404 });
  });

  test('asks users for a chat, and keys that are limited to some bots for one of these', async () => {
    const user = await insertAccount(api.database.db, { username: 'user', bots: [bot.id] });
    const asUser = restClient(api.url, user.key);
    for (const query of [{}, { bot_id: bot.id }]) {
      const refused = await ask(query, asUser);
      expect(refused).toMatchObject({ status: 400, json: { error: 'chat_id is required' } });
    }
    const made = await post('/api/auth/api-keys', { name: 'limited', bot_ids: [bot.id] });
    const limited = restClient(api.url, String(made.key));
    expect(await ask({}, limited)).toMatchObject({ status: 400, json: { details: [{ path: 'bot_id' }] } });
    expect((await log({ bot_id: bot.id }, limited)).length).toBeGreaterThan(0);
    expect(await ask({ bot_id: (await api.addBot()).id }, limited)).toMatchObject({ status: 403 });
  });

  test('has one entry by its id, for those who may read it in a list', async () => {
    const user = await insertAccount(api.database.db, { username: 'clerk', bots: [bot.id] });
    const chat = { bot_id: bot.id, chat_id: -78 };
    await post('/api/tags/add', { ...chat, user_id: 5, tag: 'vip' });
    const { id } = (await log(chat))[0]!;
    await post('/api/tags/add', { ...chat, user_id: 6, tag: 'vip' });
    const ids = async (query: Query, client = api.admin) => (await log({ ...query, id }, client)).map((one) => one.id);
    expect(await ids({})).toEqual([id]);
    const clerk = restClient(api.url, user.key);
    expect(await ids(chat, clerk)).toEqual([id]);
    expect(await ids({ ...chat, chat_id: -79 }, clerk)).toEqual([]);
    expect(await ask({ id }, clerk)).toMatchObject({ status: 400 });
  });

  test('shows addresses and keys to admins only', async () => {
    const user = await insertAccount(api.database.db, { username: 'reader', bots: [bot.id] });
    const chat = { bot_id: bot.id, chat_id: -77 };
    await post('/api/tags/add', { ...chat, user_id: 5, tag: 'vip' });
    const [entry] = await log(chat);
    expect(entry).toMatchObject({ action: 'tag_add', target_id: 5, address: '127.0.0.1' });
    const [seen] = await log(chat, restClient(api.url, user.key));
    const { address: _address, actor_key_id: _key, ...rest } = entry!;
    expect(seen).toEqual(rest);
  });

  test('has the first admin and its key, made at start by nobody who was signed in', async () => {
    const all = entriesOf(await ask({ limit: 200 }));
    const { username } = { username: 'admin' };
    const [account] = all.filter(
      ({ action, target_username }) => action === 'account_add' && target_username === username,
    );
    expect(account).toMatchObject({ actor_kind: 'account', details: 'the first admin, made at start' });
    expect(account).not.toHaveProperty('actor_id');
    const [key] = all.filter(({ details }) => details.includes('"ADMIN_API_KEY"'));
    expect(key).toMatchObject({ action: 'key_add', target_username: username });
    expect(JSON.stringify(all)).not.toContain(ADMIN_PASSWORD);
  });
});
