import type { BotResource } from '@flotilla/contract/bots.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_PASSWORD, testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const SECRET = 'a-secret-of-the-backend';
const api = testApi();
let bot: BotResource;
/** The admin's session in a browser. */
let session: RestClient;

beforeAll(async () => {
  bot = await api.addBot({ secret_token: SECRET, backend_url: 'http://me:hush@127.0.0.1:9/hook?key=hidden' });
  const body = { username: 'admin', password: ADMIN_PASSWORD };
  const signedIn = await restClient(api.url)('POST', '/api/auth/login', { body });
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
  session = (method, path, call = {}) => restClient(api.url)(method, path, { ...call, headers: { cookie } });
});

const masked = () => ({
  token: `${bot.token.split(':')[0]}:****`,
  secret_token: '****',
  backend_url: 'http://****@127.0.0.1:9/hook?key=****',
});
const listed = async (client: RestClient): Promise<BotResource> => {
  const all = (await client('GET', '/api/bots')).json as BotResource[];
  return all.find(({ id }) => id === bot.id)!;
};
const reveal = (client: RestClient, input: object = { id: bot.id }) =>
  client('POST', '/api/bots/reveal-token', { body: input });

describe('a bot’s secrets', () => {
  test('are whole to an admin’s key and masked to the admin’s session, wherever a bot is answered', async () => {
    expect(await listed(api.admin)).toMatchObject({
      token: bot.token,
      secret_token: SECRET,
      backend_url: bot.backend_url,
    });
    expect(await listed(session)).toMatchObject(masked());
    const answers = [
      await session('GET', '/api/bots'),
      await session('POST', '/api/bots/update', { body: { id: bot.id, name: 'By a session' } }),
      await session('POST', '/api/bots/toggle-disabled', { body: { id: bot.id } }),
      await session('POST', '/api/bots/toggle-disabled', { body: { id: bot.id } }),
      await session('POST', '/api/bots/add', { body: { token: (await api.platform.createBot({})).token } }),
    ];
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).toMatch(/"token":"\d+:\*{4}"/);
      expect(text).not.toMatch(/"token":"\d+:[A-Za-z0-9_-]/);
      for (const secret of [SECRET, 'hush', 'hidden']) expect(text).not.toContain(secret);
    }
  });

  test('stay when they are given back as they were shown, whoever gives them', async () => {
    const shown = await listed(session);
    for (const client of [session, api.admin]) {
      const answer = await client('POST', '/api/bots/update', { body: { ...shown, description: 'posted back' } });
      expect(answer).toMatchObject({ status: 200, json: { description: 'posted back' } });
    }
    expect(await listed(api.admin)).toMatchObject({
      token: bot.token,
      secret_token: SECRET,
      backend_url: bot.backend_url,
    });
    const [entry] = (await api.admin('GET', '/api/adminlog', { query: { action: 'bot_update', limit: 1 } }))
      .json as object[];
    expect(entry).toMatchObject({ details: '' });
  });

  test('are not taken from the mask of something else', async () => {
    const other = await api.addBot();
    const refused = [
      await api.admin('POST', '/api/bots/update', { body: { id: other.id, secret_token: '****' } }),
      await api.admin('POST', '/api/bots/update', { body: { id: other.id, token: masked().token } }),
      await api.admin('POST', '/api/bots/add', {
        body: { token: (await api.platform.createBot({})).token, secret_token: '****' },
      }),
    ];
    for (const answer of refused) expect(answer).toMatchObject({ status: 400 });
    expect(refused[0]!.json).toMatchObject({
      details: [{ path: 'secret_token', reason: 'is a masked value, not a secret' }],
    });
    expect(refused[1]!.json).toMatchObject({ details: [{ path: 'token' }] });
  });
});

describe('a token', () => {
  test('is revealed to an admin by session or key, by either name of the bot, and audited', async () => {
    expect(await reveal(session)).toMatchObject({ status: 200, json: { token: bot.token } });
    expect(await reveal(session, { bot_id: bot.id })).toMatchObject({ status: 200, json: { token: bot.token } });
    expect(await reveal(api.admin)).toMatchObject({ status: 200, json: { token: bot.token } });
    const entries = await api.admin('GET', '/api/adminlog', { query: { action: 'token_reveal' } });
    const byAdmin = { bot_id: bot.id, actor_username: 'admin', details: '' };
    expect(entries.json).toMatchObject([
      { actor_kind: 'key', ...byAdmin },
      { actor_kind: 'account', ...byAdmin },
      { actor_kind: 'account', ...byAdmin },
    ]);
    expect(entries.text).not.toContain(bot.token.split(':')[1]);
  });

  test('is not revealed to users, nor to a key that is limited to other bots, and those leave no entry', async () => {
    const other = await api.addBot();
    const user = await insertAccount(api.database.db, { username: 'user', bots: [bot.id] });
    const made = await api.admin('POST', '/api/auth/api-keys', { body: { name: 'limited', bot_ids: [other.id] } });
    const limited = restClient(api.url, (made.json as { key: string }).key);
    const count = async () =>
      (await api.admin('GET', '/api/adminlog', { query: { action: 'token_reveal' } })).headers.get('x-total-count');
    const before = await count();
    expect(await reveal(restClient(api.url, user.key))).toMatchObject({ status: 403 });
    expect(await reveal(limited)).toMatchObject({ status: 403 });
    expect(await count()).toBe(before);
    expect(await reveal(limited, { id: other.id })).toMatchObject({ status: 200, json: { token: other.token } });
  });
});
