import { createHash } from 'node:crypto';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

type NewKey = { id: number; key: string; role: string; bot_ids: number[] | null; prefix: string };

let api: TestApi;
let admin: RestClient;
let bot_ids: number[];
let person: TestAccount;

beforeAll(async () => {
  api = await startTestApi();
  admin = restClient(api.url, ADMIN_KEY);
  bot_ids = [await newBot(), await newBot()];
  person = await insertAccount(api.database.db, { username: 'person', bots: [bot_ids[0]!] });
}, 60_000);

afterAll(async () => {
  await api?.stop();
});

async function newBot(): Promise<number> {
  const { token } = await api.platform.createBot({});
  return ((await admin('POST', '/api/bots/add', { body: { token } })).json as { id: number }).id;
}

async function newKey(client: RestClient, body: object = {}): Promise<NewKey> {
  const made = await client('POST', '/api/auth/api-keys', { body: { name: 'a key', ...body } });
  expect(made.status).toBe(200);
  return made.json as NewKey;
}

const botsSeenBy = async (key: string) => {
  const answer = await restClient(api.url, key)('GET', '/api/bots');
  return (answer.json as { id: number }[]).map(({ id }) => id);
};
const statusOf = async (key: string, url = api.url) => (await restClient(url, key)('GET', '/api/auth/me')).status;

describe('an API key', () => {
  test('begins flt_, carries 160 random bits and more, and is shown once', async () => {
    const { key, prefix, id } = await newKey(admin);
    expect(key).toMatch(/^flt_[A-Za-z0-9_-]{38}$/);
    const checksum = createHash('sha256').update(key.slice(0, -6)).digest('base64url').slice(0, 6);
    expect(key.slice(-6)).toBe(checksum);
    expect(key.startsWith(prefix)).toBe(true);
    const listed = await admin('GET', '/api/auth/api-keys');
    expect(listed.text).not.toContain(key);
    expect(listed.json).toContainEqual(expect.objectContaining({ id, prefix, enabled: true }));
  });

  test('is stored only as a hash', async () => {
    const { key, id } = await newKey(admin);
    const row = await api.database.db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
    expect(JSON.stringify(row)).not.toContain(key);
  });

  test('dies on every pod within 5 s of being disabled or deleted, and lives again when enabled', async () => {
    const pod = await api.startPod();
    const { key, id } = await newKey(admin);
    expect([await statusOf(key), await statusOf(key, pod.url)]).toEqual([200, 200]);
    const everywhere = (status: number) =>
      waitFor(async () => (await statusOf(key)) === status && (await statusOf(key, pod.url)) === status, {
        timeoutMs: 5000,
      });
    await admin('POST', '/api/auth/api-keys/toggle', { body: { id, enabled: false } });
    await everywhere(401);
    await admin('POST', '/api/auth/api-keys/toggle', { query: { id, enabled: 'true' } });
    await everywhere(200);
    await admin('POST', '/api/auth/api-keys/delete', { body: { id } });
    await everywhere(401);
  });

  test('expires', async () => {
    const { key, id } = await newKey(admin, { expires_at: '2099-01-01T00:00:00+02:00' });
    expect(await statusOf(key)).toBe(200);
    await api.database.db
      .updateTable('api_keys')
      .set({ expires_at: new Date(0) })
      .where('id', '=', id)
      .execute();
    const other = await newKey(admin);
    await admin('POST', '/api/auth/api-keys/delete', { body: { id: other.id } });
    await waitFor(async () => (await statusOf(key)) === 401, { timeoutMs: 5000 });
  });

  test('records when it was last used', async () => {
    const { key, id } = await newKey(admin);
    await statusOf(key);
    const lastUse = async () => {
      const keys = (await admin('GET', '/api/auth/api-keys')).json as { id: number; last_used_at?: string }[];
      return keys.find((listed) => listed.id === id)?.last_used_at;
    };
    const at = await waitFor(lastUse);
    expect(Math.abs(Date.parse(at ?? '') - Date.now())).toBeLessThan(60_000);
  });

  test('is refused alike whichever byte is wrong, and so is anything else', async () => {
    const { key } = await newKey(admin);
    const altered = [`f${key.slice(1).replace('l', 'x')}`, `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`];
    for (const wrong of [...altered, 'flt_', 'x', key.slice(0, -1), `${key}x`, 'flt_unknown_key_of_nobody']) {
      const answer = await restClient(api.url, wrong)('GET', '/api/auth/me');
      expect(answer.json).toEqual({
        error: 'A valid API key or session is needed',
        code: 'unauthorized',
        request_id: expect.any(String),
      });
    }
  });

  test('is taken from the Authorization header only', async () => {
    const http = restClient(api.url);
    expect((await http('GET', '/api/auth/me', { query: { access_token: ADMIN_KEY } })).status).toBe(401);
    const both = await admin('GET', '/api/auth/me', { query: { access_token: ADMIN_KEY } });
    expect(both).toMatchObject({ status: 400, json: { details: [{ path: 'access_token' }] } });
    expect(both.text).not.toContain(ADMIN_KEY);
  });
});

describe('what a key may do', () => {
  test('is at most what its account may do', async () => {
    const own = restClient(api.url, person.key);
    const key = await newKey(own);
    expect(key).toMatchObject({ role: 'user', bot_ids: [bot_ids[0]] });
    expect(await botsSeenBy(key.key)).toEqual([bot_ids[0]]);
    const asAdmin = await own('POST', '/api/auth/api-keys', { body: { name: 'x', role: 'admin' } });
    expect(asAdmin.json).toMatchObject({ code: 'forbidden', error: 'Admin role required' });
    const wider = await own('POST', '/api/auth/api-keys', { body: { name: 'x', bot_ids: [bot_ids[1]] } });
    expect(wider.status).toBe(403);
  });

  test('can be narrowed to the user role and to some bots', async () => {
    const narrowed = await newKey(admin, { role: 'user', bot_ids: [bot_ids[1]] });
    expect(await botsSeenBy(narrowed.key)).toEqual([bot_ids[1]]);
    const client = restClient(api.url, narrowed.key);
    expect((await client('POST', '/api/bots/delete', { body: { id: bot_ids[1] } })).status).toBe(403);
    const chats = await client('GET', '/api/chats', { query: { bot_id: bot_ids[0]! } });
    expect(chats.status).toBe(403);
    const shown = await client('GET', '/api/bots');
    expect(shown.json).toEqual([expect.objectContaining({ token: expect.stringMatching(/^\d+:\*{4}$/) })]);
  });

  test('cannot be widened by making another key with it', async () => {
    const narrowed = await newKey(admin, { role: 'user', bot_ids: [bot_ids[1]] });
    const client = restClient(api.url, narrowed.key);
    expect((await client('POST', '/api/auth/api-keys', { body: { name: 'x', role: 'admin' } })).status).toBe(403);
    expect((await client('POST', '/api/auth/api-keys', { body: { name: 'x', bot_ids } })).status).toBe(403);
    expect(await newKey(client, { bot_ids: null })).toMatchObject({ role: 'user', bot_ids: [bot_ids[1]] });
  });

  test('is the owner’s and the admins’ to manage', async () => {
    const own = restClient(api.url, person.key);
    const foreign = await newKey(admin);
    for (const path of ['toggle', 'delete']) {
      const body = path === 'toggle' ? { id: foreign.id, enabled: false } : { id: foreign.id };
      expect((await own('POST', `/api/auth/api-keys/${path}`, { body })).json).toMatchObject({
        error: 'Key not found',
      });
    }
    expect((await own('GET', '/api/auth/api-keys', { query: { user_id: 1 } })).status).toBe(403);
    const forPerson = await newKey(admin, { user_id: person.id });
    expect(forPerson.role).toBe('user');
    expect(await botsSeenBy(forPerson.key)).toEqual([bot_ids[0]]);
    const listed = await admin('GET', '/api/auth/api-keys', { query: { user_id: person.id } });
    expect(listed.json).toContainEqual(expect.objectContaining({ id: forPerson.id, user_id: person.id }));
    expect((await admin('GET', '/api/auth/api-keys', { query: { user_id: 12345 } })).status).toBe(404);
  });

  test('is not given for a bot that is not there', async () => {
    const answer = await admin('POST', '/api/auth/api-keys', { body: { name: 'x', bot_ids: [bot_ids[0], 999_999] } });
    expect(answer.json).toMatchObject({ code: 'not_found', error: 'Bot not found' });
    const all = restClient(api.url, (await insertAccount(api.database.db, { username: 'sees-all', bots: null })).key);
    for (const client of [restClient(api.url, person.key), all]) {
      const refused = await client('POST', '/api/auth/api-keys', { body: { name: 'x', bot_ids: [999_999] } });
      expect(refused.json).toMatchObject({ code: 'forbidden', error: 'This bot is not among yours' });
    }
  });

  test('is not asked for with an end in the past or the name of the setting', async () => {
    const past = await admin('POST', '/api/auth/api-keys', { body: { name: 'x', expires_at: '2001-01-01T00:00:00Z' } });
    expect(past.json).toMatchObject({ details: [{ path: 'expires_at', reason: 'must be in the future' }] });
    const reserved = await admin('POST', '/api/auth/api-keys', { body: { name: 'ADMIN_API_KEY' } });
    expect(reserved.json).toMatchObject({ details: [{ path: 'name' }] });
  });
});

describe('lists', () => {
  test('say their total and page by a cursor that new rows do not move', async () => {
    const { db } = api.database;
    const owner = await insertAccount(db, { username: 'hoarder' });
    const client = restClient(api.url, owner.key);
    for (let made = 0; made < 4; made += 1) await newKey(client, { name: `key ${made}` });
    const first = await client('GET', '/api/auth/api-keys/?limit=2&offset=0');
    expect(first.headers.get('x-total-count')).toBe('5');
    const seen = (first.json as { id: number }[]).map(({ id }) => id);
    await newKey(client, { name: 'in between' });
    let link = first.headers.get('link');
    while (link !== null) {
      const next = await client('GET', /^<([^>]+)>; rel="next"$/.exec(link)?.[1] ?? '');
      seen.push(...(next.json as { id: number }[]).map(({ id }) => id));
      link = next.headers.get('link');
    }
    expect(seen).toHaveLength(5);
    expect(seen).toEqual([...new Set(seen)].sort((one, other) => other - one));
  });

  test('refuse a cursor that is not theirs', async () => {
    for (const before of ['x', 'WyJhIl0', 'W10', 'WzEsMl0']) {
      const answer = await admin('GET', '/api/auth/api-keys', { query: { before } });
      expect(answer.json).toMatchObject({ code: 'bad_request', details: [{ path: 'before' }] });
    }
  });
});

test('an account has at most a hundred keys, also when many are made at once; another one needs a deletion first', async () => {
  const { id, key } = await insertAccount(api.database.db, { username: 'collector' });
  const client = restClient(api.url, key);
  const rows = Array.from({ length: 96 }, (_, at) => ({
    key_hash: `hash-${at}`,
    key_prefix: 'flt_x',
    name: `old ${at}`,
  }));
  const kept = rows.map((row) => ({ ...row, account_id: id, role: 'user' as const }));
  await api.database.db.insertInto('api_keys').values(kept).execute();
  const make = () => client('POST', '/api/auth/api-keys', { body: { name: 'new' } });
  const answers = await Promise.all(Array.from({ length: 8 }, make));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 400, 400, 400, 400, 400]);
  const refused = answers.find(({ status }) => status === 400);
  expect(refused?.json).toMatchObject({ code: 'bad_request', error: expect.stringContaining('at most 100 API keys') });
  const made = answers.find(({ status }) => status === 200)?.json as { id: number };
  expect((await client('POST', '/api/auth/api-keys/delete', { body: { id: made.id } })).status).toBe(200);
  expect((await make()).status).toBe(200);
});
