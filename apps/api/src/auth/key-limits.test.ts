import type { BotResource } from '@flotilla/contract/resources/bot.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
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
const me = async (client: RestClient) => (await client('GET', '/api/auth/me')).json;

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
    const body = { username: 'admin', password: ADMIN_PASSWORD };
    const signedIn = await restClient(api.url)('POST', '/api/auth/login', { body });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
    const shown = await restClient(api.url)('GET', '/api/auth/me', { headers: { cookie } });
    expect(shown.json).toMatchObject({ username: 'admin' });
    expect(shown.json).not.toHaveProperty('api_key');
  });
});
