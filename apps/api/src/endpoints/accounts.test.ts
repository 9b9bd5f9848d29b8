import type { AccountResource } from '@flotilla/contract/accounts.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { ADMIN_PASSWORD, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const PASSWORD = 'correct horse battery';

const api = testApi();
let nobody: RestClient;
let bot: BotResource;
let otherBot: BotResource;

beforeAll(async () => {
  nobody = restClient(api.url);
  [bot, otherBot] = [await api.addBot(), await api.addBot()];
});

let names = 0;
const post = (what: string, body: object) => api.admin('POST', `/api/auth/users/${what}`, { body });
const add = (fields: object = {}) => {
  names += 1;
  return post('add', { username: `person-${names}`, password: PASSWORD, ...fields });
};
const added = async (fields: object = {}) => (await add(fields)).json as AccountResource;
const listed = async () => (await api.admin('GET', '/api/auth/users')).json as AccountResource[];
const signIn = (username: string, password = PASSWORD) =>
  nobody('POST', '/api/auth/login', { body: { username, password } });

/** A client that sends the cookie from its sign-in. */
async function signedIn(username: string, password = PASSWORD): Promise<RestClient> {
  const answer = await signIn(username, password);
  expect(answer).toMatchObject({ status: 200 });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  return (method, path, call = {}) => nobody(method, path, { ...call, headers: { cookie } });
}
const newKeyOf = async (account: AccountResource, role?: 'admin') => {
  const body = { name: 'test', user_id: account.id, ...(role === undefined ? {} : { role }) };
  return ((await api.admin('POST', '/api/auth/api-keys', { body })).json as { key: string }).key;
};
const keyOf = async (account: AccountResource, role?: 'admin') => restClient(api.url, await newKeyOf(account, role));
const botsOf = async (client: RestClient) =>
  ((await client('GET', '/api/bots')).json as BotResource[]).map(({ id }) => id);

describe('an account', () => {
  test('is made, signs in, sees its bots and nothing of others', async () => {
    const answer = await add({ display_name: 'Per Son', bot_ids: [bot.id] });
    expect(answer.json).toEqual({
      id: expect.any(Number),
      username: `person-${names}`,
      display_name: 'Per Son',
      role: 'user',
      ...{ bot_ids: [bot.id], bot_labels: [] },
      rights: [],
      must_change_password: false,
      second_factor: false,
      created_at: expect.stringMatching(/Z$/),
    });
    expect(await listed()).toContainEqual(answer.json);
    const client = await signedIn(`person-${names}`);
    expect(await botsOf(client)).toEqual([bot.id]);
    expect((await client('GET', '/api/chats', { query: { bot_id: otherBot.id } })).status).toBe(403);
    expect((await client('GET', '/api/auth/users')).status).toBe(403);
  });

  test('sees no bot without bot_ids, and every bot with null', async () => {
    expect(await botsOf(await keyOf(await added()))).toEqual([]);
    expect(await botsOf(await keyOf(await added({ bot_ids: null })))).toEqual([bot.id, otherBot.id]);
  });

  test('is 409 for a username that is taken, in any case and by two at once', async () => {
    const { username } = await added();
    expect(await add({ username: username.toUpperCase() })).toMatchObject({ status: 409, json: { code: 'conflict' } });
    const statuses = (await Promise.all([add({ username: 'race' }), add({ username: 'race' })])).map((it) => it.status);
    expect(statuses.sort()).toEqual([200, 409]);
    const { id } = await added();
    expect((await post('update', { id, username })).status).toBe(409);
  });

  test.each([
    ['a short password', { password: 'too short' }, 400],
    ['a role there is not', { role: 'owner' }, 400],
    ['a bot that is not there', { bot_ids: [999_999] }, 404],
  ])('is refused with %s', async (_title, fields, status) => {
    expect((await add(fields)).status).toBe(status);
  });

  test('is updated in what is named, and takes back what was listed', async () => {
    const account = await added({ bot_ids: [bot.id] });
    const { id } = account;
    const changed = await post('update', { id: String(id), display_name: 'New', bot_ids: `${bot.id},${otherBot.id}` });
    const bot_ids = [bot.id, otherBot.id];
    expect(changed.json).toEqual({ ...account, display_name: 'New', bot_ids });
    expect((await post('update', (await listed()).find((it) => it.id === id) ?? {})).json).toEqual(changed.json);
    expect((await post('update', { id, bot_ids: null })).json).toMatchObject({ bot_ids: null });
    expect((await post('update', { id, bot_ids: [] })).json).toMatchObject({ bot_ids: [] });
    for (const what of ['update', 'delete']) {
      const answer = await post(what, { id: 999_999 });
      expect(answer).toMatchObject({ status: 404, json: { error: 'Account not found' } });
    }
    expect((await post('reset-password', { id: 999_999, password: PASSWORD })).status).toBe(404);
  });

  test('of an admin that is sent back as it was listed has only its bots when it is a user again', async () => {
    const account = await added({ bot_ids: [bot.id] });
    const promoted = (await post('update', { id: account.id, role: 'admin' })).json as AccountResource;
    expect(promoted.bot_ids).toBeNull();
    await post('update', { ...promoted, display_name: 'Renamed' });
    expect((await post('update', { id: account.id, role: 'user' })).json).toMatchObject({ bot_ids: [bot.id] });
  });

  test('loses a bot on every pod within 5 s', async () => {
    const account = await added({ bot_ids: [bot.id] });
    const key = await keyOf(account);
    const pod = await api.startPod();
    const body = { name: 'other', user_id: account.id };
    const made = await api.admin('POST', '/api/auth/api-keys', { body });
    const elsewhere = restClient(pod.url, (made.json as { key: string }).key);
    expect(await botsOf(elsewhere)).toEqual([bot.id]);
    expect(await botsOf(key)).toEqual([bot.id]);
    await post('update', { id: account.id, bot_ids: [] });
    await waitFor(async () => (await botsOf(key)).length === 0, { timeoutMs: 5000 });
    await waitFor(async () => (await botsOf(elsewhere)).length === 0, { timeoutMs: 5000 });
  });

  test('ends its sessions when its role changes, and its admin keys can do no more than it', async () => {
    const account = await added({ role: 'admin' });
    const session = await signedIn(account.username);
    const key = await keyOf(account, 'admin');
    expect((await session('GET', '/api/auth/users')).status).toBe(200);
    expect((await post('update', { id: account.id, display_name: 'Same role', role: 'admin' })).status).toBe(200);
    expect((await session('GET', '/api/auth/me')).status).toBe(200);
    expect((await post('update', { id: account.id, role: 'user' })).json).toMatchObject({ role: 'user', bot_ids: [] });
    await waitFor(async () => (await session('GET', '/api/auth/me')).status === 401, { timeoutMs: 5000 });
    await waitFor(async () => (await key('GET', '/api/auth/users')).status === 403, { timeoutMs: 5000 });
  });

  test('is gone with its sessions and keys when it is deleted', async () => {
    const account = await added();
    const [session, key] = [await signedIn(account.username), await keyOf(account)];
    expect((await post('delete', { id: account.id })).json).toEqual({ ok: true, program_tokens: [] });
    await waitFor(async () => (await session('GET', '/api/auth/me')).status === 401, { timeoutMs: 5000 });
    await waitFor(async () => (await key('GET', '/api/auth/me')).status === 401, { timeoutMs: 5000 });
    expect((await signIn(account.username)).status).toBe(401);
  });
});

describe('a password that an admin resets', () => {
  test('ends the sessions, and must be changed before anything else', async () => {
    const account = await added({ bot_ids: [bot.id] });
    const before = await signedIn(account.username);
    expect((await post('reset-password', { id: account.id, password: 'set by the admin' })).json).toEqual({ ok: true });
    await waitFor(async () => (await before('GET', '/api/auth/me')).status === 401, { timeoutMs: 5000 });
    expect((await signIn(account.username)).status).toBe(401);
    expect((await signIn(account.username, 'set by the admin')).json).toMatchObject({ must_change_password: true });
    const session = await signedIn(account.username, 'set by the admin');
    expect((await session('GET', '/api/bots')).status).toBe(403);
    expect((await session('GET', '/api/auth/me')).status).toBe(200);
    const body = { old_password: 'set by the admin', new_password: PASSWORD };
    expect((await session('POST', '/api/auth/change-password', { body })).status).toBe(200);
    expect((await signIn(account.username)).json).toMatchObject({ must_change_password: false });
  });

  test('may be kept when the admin says so, and is the admin’s own business for the own account', async () => {
    const account = await added();
    await post('reset-password', { id: account.id, password: 'a second one', must_change_password: false });
    expect((await signIn(account.username, 'a second one')).json).toMatchObject({ must_change_password: false });
    await post('update', { id: account.id, password: 'and a third one' });
    expect((await signIn(account.username, 'and a third one')).json).toMatchObject({ must_change_password: true });
    const first = (await listed()).find(({ username }) => username === 'admin');
    await post('reset-password', { id: first?.id, password: `${ADMIN_PASSWORD}!` });
    expect((await signIn('admin', `${ADMIN_PASSWORD}!`)).json).toMatchObject({ must_change_password: false });
  });
});

describe('a password that is among the commonest', () => {
  test.each(['qwertyuiop', '1234567890', 'Password123', 'ＰＡＳＳＷＯＲＤ１２３'])(
    'is refused wherever one is set: %s',
    async (password) => {
      const account = await added();
      const session = await signedIn(account.username);
      const changing = { old_password: PASSWORD, new_password: password };
      const answers = {
        password: [
          await add({ password }),
          await post('update', { id: account.id, password }),
          await post('reset-password', { id: account.id, password }),
        ],
        new_password: [await session('POST', '/api/auth/change-password', { body: changing })],
      };
      for (const [path, refused] of Object.entries(answers)) {
        const details = [{ path, reason: 'is one of the most common passwords: choose another one' }];
        for (const answer of refused)
          expect(answer).toMatchObject({ status: 400, json: { code: 'bad_request', details } });
      }
      expect((await signIn(account.username)).status).toBe(200);
    },
  );
});

describe('the keys of an account whose password is reset', () => {
  const made = async () => {
    const account = await added({ bot_ids: [bot.id] });
    return { account, key: await keyOf(account) };
  };
  const reset = (id: number, fields: object = {}) =>
    post('reset-password', { id, password: 'set by the admin', ...fields });
  const statusOf = async (key: RestClient) => (await key('GET', '/api/bots')).status;

  test('go on, also while the password must be changed', async () => {
    const { account, key } = await made();
    expect((await reset(account.id)).status).toBe(200);
    const session = await signedIn(account.username, 'set by the admin');
    expect((await session('GET', '/api/bots')).status).toBe(403);
    expect(await statusOf(key)).toBe(200);
    expect((await reset(account.id, { revoke_keys: false })).status).toBe(200);
    expect(await statusOf(key)).toBe(200);
  });

  test('end where the admin says so, those of nobody else, and on every pod within 5 s', async () => {
    const [{ account, key }, other] = [await made(), await made()];
    const pod = await api.startPod();
    const elsewhere = restClient(pod.url, await newKeyOf(account));
    expect([await statusOf(key), await statusOf(elsewhere)]).toEqual([200, 200]);
    expect((await reset(account.id, { revoke_keys: true })).status).toBe(200);
    await waitFor(async () => (await statusOf(key)) === 401, { timeoutMs: 5000 });
    await waitFor(async () => (await statusOf(elsewhere)) === 401, { timeoutMs: 5000 });
    expect((await api.admin('GET', '/api/auth/api-keys', { query: { user_id: account.id } })).json).toEqual([]);
    expect(await statusOf(other.key)).toBe(200);
  });
});

describe('the list of accounts', () => {
  test('pages by offset and cursor, and tells no password', async () => {
    const all = await listed();
    const answer = await api.admin('GET', '/api/auth/users', { query: { limit: 2 } });
    expect(answer.headers.get('x-total-count')).toBe(String(all.length));
    const next = /^<([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
    const rest = await api.admin('GET', next.replace('limit=2', 'limit=1000'));
    expect([...(answer.json as AccountResource[]), ...(rest.json as AccountResource[])]).toEqual(all);
    expect((await api.admin('GET', '/api/auth/users', { query: { offset: 1, limit: 1 } })).json).toEqual([all[1]]);
    expect(answer.text).not.toMatch(/argon2|"password"/);
  });
});

describe('the last admin', () => {
  const expectLast = (answer: RestAnswer) => {
    expect(answer).toMatchObject({ status: 400, json: { code: 'bad_request' } });
    expect((answer.json as { error: string }).error).toContain('last admin');
  };
  const admins = async () => (await listed()).filter(({ role }) => role === 'admin').map(({ id }) => id);
  const onlyAdmin = async (): Promise<number> => {
    const [first = 0, ...others] = await admins();
    for (const id of others) await post('delete', { id });
    return first;
  };

  test('can be neither deleted nor demoted by anybody', async () => {
    const id = await onlyAdmin();
    expectLast(await post('delete', { id }));
    expectLast(await post('update', { id, role: 'user' }));
    expect((await post('update', { id, role: 'admin', display_name: 'Still here' })).status).toBe(200);
    expect(await admins()).toEqual([id]);
  });

  test('is left over when admins are removed at once', async () => {
    const first = await onlyAdmin();
    const second = await added({ role: 'admin' });
    const demote = (id: number) => post('update', { id, role: 'user' });
    const answers = await Promise.all([demote(second.id), demote(first), demote(second.id), demote(first)]);
    expect(answers.map(({ status }) => status)).toContain(400);
    const { db } = api.database;
    const left = await db.selectFrom('accounts').select('id').where('role', '=', 'admin').execute();
    expect(left).toHaveLength(1);
  });
});
