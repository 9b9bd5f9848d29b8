import type { BotResource } from '@flotilla/contract/bots.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_PASSWORD, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

type NewKey = { id: number; key: string };

const api = testApi();
let bot: BotResource;
let otherBot: BotResource;

beforeAll(async () => {
  [bot, otherBot] = [await api.addBot(), await api.addBot()];
});

const KEYS = '/api/auth/api-keys';
const as = ({ key }: { key: string }) => restClient(api.url, key);
const newKey = async (client: RestClient, body: object = {}): Promise<NewKey> => {
  const made = await client('POST', KEYS, { body: { name: 'a key', ...body } });
  expect(made).toMatchObject({ status: 200 });
  return made.json as NewKey;
};
async function signedIn({ username, password }: { username: string; password: string }): Promise<RestClient> {
  const http = restClient(api.url);
  const { headers } = await http('POST', '/api/auth/login', { body: { username, password } });
  const cookie = headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  return (method, path, call = {}) => http(method, path, { ...call, headers: { cookie } });
}
const errorOf = ({ status, json }: RestAnswer) => ({ status, ...(json as object), request_id: '' });
const me = async (client: RestClient) => (await client('GET', '/api/auth/me')).json;

describe('a key lists and manages no key that is wider than itself:', () => {
  const END = '2098-01-01T00:00:00.000Z';
  const EARLIER_END = '2097-01-01T00:00:00.000Z';
  const shapes = () => ({
    wide: {},
    user: { role: 'user' },
    ofBot: { role: 'user', bot_ids: [bot.id] },
    ofOtherBot: { role: 'user', bot_ids: [otherBot.id] },
    ofBoth: { role: 'user', bot_ids: [bot.id, otherBot.id] },
    adminOfBot: { role: 'admin', bot_ids: [bot.id] },
    ending: { role: 'user', bot_ids: [bot.id], expires_at: END },
    endingEarlier: { role: 'user', bot_ids: [bot.id], expires_at: EARLIER_END },
    wideAndEnding: { expires_at: END },
  });
  type Shape = keyof ReturnType<typeof shapes>;
  const SEES: Record<Shape, Shape[]> = {
    wide: ['wide', 'user', 'ofBot', 'ofOtherBot', 'ofBoth', 'adminOfBot', 'ending', 'endingEarlier', 'wideAndEnding'],
    user: ['user', 'ofBot', 'ofOtherBot', 'ofBoth', 'ending', 'endingEarlier'],
    ofBot: ['ofBot', 'ending', 'endingEarlier'],
    ofOtherBot: ['ofOtherBot'],
    ofBoth: ['ofBot', 'ofOtherBot', 'ofBoth', 'ending', 'endingEarlier'],
    adminOfBot: ['ofBot', 'adminOfBot', 'ending', 'endingEarlier'],
    ending: ['ending', 'endingEarlier'],
    endingEarlier: ['endingEarlier'],
    wideAndEnding: ['ending', 'endingEarlier', 'wideAndEnding'],
  };
  let boss: TestAccount;
  let session: RestClient;
  let keys: Record<Shape, NewKey>;

  beforeAll(async () => {
    boss = await insertAccount(api.database.db, { username: 'boss', role: 'admin' });
    session = await signedIn(boss);
    const made = Object.entries(shapes()).map(async ([name, body]) => [name, await newKey(session, { name, ...body })]);
    keys = Object.fromEntries(await Promise.all(made)) as Record<Shape, NewKey>;
  });

  const seenBy = async (client: RestClient, query: Record<string, number> = {}) => {
    const answer = await client('GET', KEYS, { query });
    const names = (answer.json as { name: string }[]).map(({ name }) => name);
    expect(answer.headers.get('x-total-count')).toBe(String(names.length));
    return names.sort();
  };

  test.each(Object.entries(SEES) as [Shape, Shape[]][])('%s', async (name, sees) => {
    const client = as(keys[name]);
    expect(await seenBy(client)).toEqual([...sees, ...(name === 'wide' ? ['test'] : [])].sort());
    for (const other of Object.keys(keys) as Shape[]) {
      const enabled = await client('POST', `${KEYS}/toggle`, { body: { id: keys[other].id, enabled: true } });
      expect([other, enabled.status]).toEqual([other, sees.includes(other) ? 200 : 404]);
      if (sees.includes(other)) continue;
      const unknown = await client('POST', `${KEYS}/toggle`, { body: { id: 999_999, enabled: true } });
      const deleted = await client('POST', `${KEYS}/delete`, { body: { id: keys[other].id } });
      for (const answer of [enabled, deleted]) expect(errorOf(answer)).toEqual(errorOf(unknown));
    }
  });

  test('nor one that is switched off, which a session brings back', async () => {
    const { id } = await newKey(session, { name: 'switched off' });
    await session('POST', `${KEYS}/toggle`, { body: { id, enabled: false } });
    const again = (client: RestClient) => client('POST', `${KEYS}/toggle`, { body: { id, enabled: true } });
    expect([(await again(as(keys.ofBot))).status, (await again(as(keys.wideAndEnding))).status]).toEqual([404, 404]);
    expect((await again(session)).status).toBe(200);
    await session('POST', `${KEYS}/delete`, { body: { id } });
  });

  test('nor one that follows its account, for a key that lists the same bots', async () => {
    const person = await insertAccount(api.database.db, { username: 'with-one-bot', bots: [bot.id] });
    const listed = await newKey(await signedIn(person), { name: 'listed', bot_ids: [bot.id] });
    expect(await seenBy(as(listed))).toEqual(['listed']);
    expect(await seenBy(restClient(api.url, person.key))).toEqual(['listed', 'test']);
  });

  test('nor of another account, where an admin names it or the key', async () => {
    const person = await insertAccount(api.database.db, { username: 'managed', bots: [bot.id, otherBot.id] });
    const own = await signedIn(person);
    const narrow = await newKey(own, { name: 'narrow', bot_ids: [bot.id] });
    const other = await newKey(own, { name: 'other', bot_ids: [otherBot.id] });
    const sees = (client: RestClient) => seenBy(client, { user_id: person.id });
    expect(await sees(as(keys.wide))).toEqual(['narrow', 'other', 'test']);
    expect(await sees(session)).toEqual(['narrow', 'other', 'test']);
    // A key that is limited to some bots names no other account.
    expect((await as(keys.adminOfBot)('GET', KEYS, { query: { user_id: person.id } })).status).toBe(403);
    expect(await sees(as(keys.wideAndEnding))).toEqual([]);
    expect((await as(keys.user)('GET', KEYS, { query: { user_id: person.id } })).status).toBe(403);
    const remove = async (client: RestClient, { id }: NewKey) =>
      (await client('POST', `${KEYS}/delete`, { body: { id } })).status;
    expect(await remove(as(keys.adminOfBot), other)).toBe(404);
    expect(await remove(as(keys.ofBot), narrow)).toBe(404);
    expect(await remove(as(keys.adminOfBot), narrow)).toBe(200);
  });

  test('nor the key of the setting, which is nobody’s to manage but of a session or a key as wide', async () => {
    const admin = await signedIn({ username: 'admin', password: ADMIN_PASSWORD });
    const narrow = await newKey(admin, { role: 'user', bot_ids: [bot.id] });
    const [setting] = ((await admin('GET', KEYS)).json as { id: number; name: string }[]).slice(-1);
    expect(setting).toMatchObject({ name: 'ADMIN_API_KEY' });
    const off = { body: { id: setting?.id ?? 0, enabled: false } };
    expect((await as(narrow)('POST', `${KEYS}/toggle`, off)).status).toBe(404);
    expect(await seenBy(as(narrow))).toEqual(['a key']);
  });

  test('but itself, which it may switch off', async () => {
    const { id, key } = await newKey(session, { name: 'itself', role: 'user', bot_ids: [] });
    const client = restClient(api.url, key);
    expect(await seenBy(client)).toEqual(['itself']);
    expect((await client('POST', `${KEYS}/toggle`, { body: { id, enabled: false } })).status).toBe(200);
    await waitFor(async () => (await client('GET', '/api/auth/me')).status === 401, { timeoutMs: 5000 });
  });
});

describe('a key of an admin that is limited to some bots', () => {
  test('neither adds bots nor asks whose a token is', async () => {
    const limited = as(await newKey(api.admin, { bot_ids: [bot.id] }));
    const { token } = await api.platform.createBot({});
    for (const path of ['/api/bots/add', '/api/bots/validate']) {
      const answer = await limited('POST', path, { body: { token } });
      expect(answer).toMatchObject({
        status: 403,
        json: { error: 'A key that is limited to some bots cannot do this' },
      });
    }
    expect((await limited('POST', '/api/bots/update', { body: { id: bot.id, name: 'Still its own' } })).status).toBe(
      200,
    );
  });
});

describe('who asks with a key who it is', () => {
  test('is told what the key may do, beside the account', async () => {
    const account = await insertAccount(api.database.db, { username: 'owner', role: 'admin' });
    const expires_at = '2099-01-01T00:00:00.000Z';
    const made = await newKey(as(account), { name: 'narrow', role: 'user', bot_ids: [bot.id], expires_at });
    const { key: _key, ...record } = made;
    expect(await me(as(made))).toEqual({
      ...((await me(as(account))) as object),
      api_key: { id: record.id, name: 'narrow', role: 'user', bot_ids: [bot.id], expires_at },
    });
    expect(await me(as(account))).toMatchObject({
      role: 'admin',
      bot_ids: null,
      api_key: { name: 'test', role: 'admin', bot_ids: null },
    });
  });

  test('is told no more than its account may do now', async () => {
    const account = await insertAccount(api.database.db, { username: 'shrinking', bots: [bot.id, otherBot.id] });
    const made = await newKey(as(account), { bot_ids: [bot.id, otherBot.id] });
    await api.admin('POST', '/api/auth/users/update', { body: { id: account.id, bot_ids: [otherBot.id] } });
    const narrowed = { bot_ids: [otherBot.id], api_key: { bot_ids: [otherBot.id] } };
    await waitFor(async () => expect(await me(as(made))).toMatchObject(narrowed) ?? true, { timeoutMs: 5000 });
  });

  test('is told of no key with a session', async () => {
    const admin = await signedIn({ username: 'admin', password: ADMIN_PASSWORD });
    const shown = await admin('GET', '/api/auth/me');
    expect(shown.json).toMatchObject({ username: 'admin' });
    expect(shown.json).not.toHaveProperty('api_key');
  });
});
