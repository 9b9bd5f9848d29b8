import type { BotResource } from '@flotilla/contract/bots.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

type NewKey = { id: number; key: string; parent_id?: number; expires_at?: string };

const KEYS = '/api/auth/api-keys';
const END = '2098-01-01T00:00:00.000Z';

const api = testApi();
let bot: BotResource;
let pod: { url: string };
let owners = 0;

beforeAll(async () => {
  bot = await api.addBot({ long_poll_enabled: true });
  pod = await api.startPod();
});

const as = ({ key }: { key: string }) => restClient(api.url, key);
const newOwner = (role: 'admin' | 'user' = 'user'): Promise<TestAccount> => {
  owners += 1;
  return insertAccount(api.database.db, { username: `owner-${owners}`, role, bots: role === 'admin' ? [] : [bot.id] });
};
async function sessionOf({ username, password }: TestAccount): Promise<RestClient> {
  const http = restClient(api.url);
  const { headers } = await http('POST', '/api/auth/login', { body: { username, password } });
  const cookie = headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  return (method, path, call = {}) => http(method, path, { ...call, headers: { cookie } });
}
const make = (client: RestClient, body: object = {}): Promise<RestAnswer> =>
  client('POST', KEYS, { body: { name: 'a key', ...body } });
const newKey = async (client: RestClient, body: object = {}): Promise<NewKey> => {
  const made = await make(client, body);
  expect(made).toMatchObject({ status: 200 });
  return made.json as NewKey;
};
const toggle = async (client: RestClient, { id }: NewKey, enabled: boolean) =>
  expect((await client('POST', `${KEYS}/toggle`, { body: { id, enabled } })).status).toBe(200);
/** The status of every key, at both apis. */
const statuses = (keys: NewKey[]) =>
  Promise.all(
    [api.url, pod.url].flatMap((url) =>
      keys.map(async ({ key }) => (await restClient(url, key)('GET', '/api/auth/me')).status),
    ),
  );
const all = (keys: NewKey[], status: number) =>
  waitFor(async () => (await statuses(keys)).every((found) => found === status), { timeoutMs: 5000 });

async function family(owner: TestAccount, body: object = {}) {
  const session = await sessionOf(owner);
  const parent = await newKey(session, body);
  const child = await newKey(as(parent));
  const grandchild = await newKey(as(child));
  return { session, parent, child, grandchild };
}

describe('what a key makes', () => {
  test('remembers which key made it; what a session makes was made by none', async () => {
    const { session, parent, child, grandchild } = await family(await newOwner());
    expect([parent.parent_id, child.parent_id, grandchild.parent_id]).toEqual([undefined, parent.id, child.id]);
    const listed = (await session('GET', KEYS)).json as NewKey[];
    expect(listed.find(({ id }) => id === child.id)).toMatchObject({ parent_id: parent.id });
  });

  test('ends with it at the latest: so when nothing is asked for, earlier when that is, and never later', async () => {
    const parent = await newKey(await sessionOf(await newOwner()), { expires_at: END });
    expect((await newKey(as(parent))).expires_at).toBe(END);
    expect((await newKey(as(parent), { expires_at: END })).expires_at).toBe(END);
    const earlier = await newKey(as(parent), { expires_at: '2097-01-01T00:00:00.000Z' });
    expect(earlier.expires_at).toBe('2097-01-01T00:00:00.000Z');
    expect((await newKey(as(earlier))).expires_at).toBe('2097-01-01T00:00:00.000Z');
    const reason = `must not be later than the end of the key that makes it, ${END}`;
    expect(await make(as(parent), { expires_at: '2098-01-01T00:00:00.001Z' })).toMatchObject({
      status: 400,
      json: { error: `expires_at ${reason}`, details: [{ path: 'expires_at', reason }] },
    });
  });

  test('has no end where the key that makes it has none', async () => {
    const { grandchild } = await family(await newOwner());
    expect(grandchild).not.toHaveProperty('expires_at');
  });

  test('also for another account ends with the admin’s key that made it', async () => {
    const person = await newOwner();
    const parent = await newKey(await sessionOf(await newOwner('admin')), { expires_at: END });
    const child = await newKey(as(parent), { user_id: person.id });
    expect(child).toMatchObject({ user_id: person.id, parent_id: parent.id, expires_at: END });
  });

  test('has at most seven keys above it, so that looking after them stays cheap', async () => {
    let key = await newKey(await sessionOf(await newOwner()));
    for (let at = 1; at < 8; at += 1) key = await newKey(as(key));
    const answer = await make(as(key));
    expect(answer).toMatchObject({ status: 403, json: { error: expect.stringContaining('sign in') } });
  });
});

describe('with a key end all that it made and that these made, on every pod within 5 s:', () => {
  test('when it is deleted', async () => {
    const { session, parent, child, grandchild } = await family(await newOwner());
    expect(await statuses([parent, child, grandchild])).toEqual([200, 200, 200, 200, 200, 200]);
    await session('POST', `${KEYS}/delete`, { body: { id: parent.id } });
    await all([parent, child, grandchild], 401);
    expect((await session('GET', KEYS)).json).toEqual([expect.objectContaining({ name: 'test' })]);
  });

  test('when it is disabled, and they come back with it, but for what was disabled itself', async () => {
    const { session, parent, child, grandchild } = await family(await newOwner());
    const other = await newKey(as(parent));
    expect(await statuses([parent, child, grandchild, other])).toEqual(Array(8).fill(200));
    await toggle(session, parent, false);
    await all([parent, child, grandchild, other], 401);
    await toggle(session, child, true);
    await toggle(session, other, false);
    expect(await statuses([parent, child, grandchild, other])).toEqual(Array(8).fill(401));
    await toggle(session, parent, true);
    await all([parent, child, grandchild], 200);
    expect(await statuses([other])).toEqual([401, 401]);
  });

  test('when it expires, also when the end of one of them says otherwise', async () => {
    const { parent, child, grandchild } = await family(await newOwner(), { expires_at: END });
    const { db } = api.database;
    await db.updateTable('api_keys').set({ expires_at: null }).where('id', '=', child.id).execute();
    await db
      .updateTable('api_keys')
      .set({ expires_at: new Date(Date.now() + 2000) })
      .where('id', '=', parent.id)
      .execute();
    // Every change of a key makes each api reload all keys.
    const { session } = await family(await newOwner());
    expect((await session('GET', KEYS)).status).toBe(200);
    await waitFor(async () => (await statuses([parent, child, grandchild])).every((found) => found === 401));
  });

  test('when its account is deleted, or loses its keys, also those of other accounts', async () => {
    const person = await newOwner();
    const [deleted, robbed] = [await newOwner('admin'), await newOwner('admin')];
    const made = async (owner: TestAccount) => newKey(as(await newKey(await sessionOf(owner))), { user_id: person.id });
    const [ofDeleted, ofRobbed] = [await made(deleted), await made(robbed)];
    expect(await statuses([ofDeleted, ofRobbed])).toEqual([200, 200, 200, 200]);
    await api.admin('POST', '/api/auth/users/delete', { body: { id: deleted.id } });
    const reset = { id: robbed.id, password: 'set by the admin', revoke_keys: true };
    await api.admin('POST', '/api/auth/users/reset-password', { body: reset });
    await all([ofDeleted, ofRobbed], 401);
  });

  test('and the polls that wait with them', async () => {
    const { session, parent, grandchild } = await family(await newOwner());
    const query = { bot_id: bot.id, timeout: 60 };
    const polls = [parent, grandchild].map(({ key }) =>
      restClient(pod.url, key)('GET', '/api/updates/poll', { query }),
    );
    await toggle(session, parent, false);
    expect((await Promise.all(polls)).map(({ status }) => status)).toEqual([401, 401]);
  });
});

describe('a key that expires', () => {
  test('makes no access that would outlive it: no account, no password, no other rights of one', async () => {
    const admin = await newOwner('admin');
    const person = await newOwner();
    const ending = as(await newKey(await sessionOf(admin), { expires_at: END }));
    const attempts: [string, object][] = [
      ['add', { username: 'for-ever', password: 'a long password', role: 'admin' }],
      ['update', { id: person.id, role: 'admin' }],
      ['update', { id: admin.id, password: 'a long password' }],
      ['reset-password', { id: admin.id, password: 'a long password' }],
    ];
    for (const [what, body] of attempts) {
      const answer = await ending('POST', `/api/auth/users/${what}`, { body });
      expect([what, answer]).toMatchObject([
        what,
        { status: 403, json: { error: expect.stringContaining('expires') } },
      ]);
    }
    expect((await ending('GET', '/api/auth/users')).status).toBe(200);
  });

  test('of the user role gets no further by any other way that makes credentials', async () => {
    const owner = await newOwner();
    const { id: permanent } = ((await as(owner)('GET', KEYS)).json as NewKey[])[0]!;
    const ending = as(await newKey(await sessionOf(owner), { expires_at: END }));
    const body = { name: 'x', expires_at: '2099-01-01T00:00:00Z' };
    expect((await make(ending, body)).status).toBe(400);
    expect((await make(ending, { name: 'x', role: 'admin' })).status).toBe(403);
    expect((await make(ending, { name: 'x', user_id: 1 })).status).toBe(403);
    expect((await ending('POST', `${KEYS}/toggle`, { body: { id: permanent, enabled: true } })).status).toBe(404);
    const change = { old_password: 'not known', new_password: 'a long password' };
    expect((await ending('POST', '/api/auth/change-password', { body: change })).status).toBe(400);
    expect((await make(ending)).headers.getSetCookie()).toEqual([]);
  });
});
