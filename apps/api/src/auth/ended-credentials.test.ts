import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { BotResource } from '@flotilla/contract/bots.ts';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { authKeys } from '@flotilla/redis/keys.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const KEYS = '/api/auth/api-keys';
/** Far below the 60 s of a poll; the promise is 5 s. */
const ENDS_WITHIN_MS = 20_000;

const api = testApi();
let bot: BotResource;
/** The polls wait at this api; their credentials end through the other one. */
let pod: Awaited<ReturnType<typeof api.startPod>>;
let metrics: RestClient;
let accounts = 0;

beforeAll(async () => {
  bot = await api.addBot({ long_poll_enabled: true });
  pod = await api.startPod();
  metrics = restClient(`http://127.0.0.1:${pod.metricsPort}`);
});

type Somebody = TestAccount & { keyId: number; cookie: string };

async function somebody(): Promise<Somebody> {
  accounts += 1;
  const account = await insertAccount(api.database.db, { username: `waiting-${accounts}`, bots: [bot.id] });
  const [key] = (await restClient(api.url, account.key)('GET', KEYS)).json as { id: number }[];
  const { username, password } = account;
  const signedIn = await restClient(api.url)('POST', '/api/auth/login', { body: { username, password } });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  return { ...account, keyId: key!.id, cookie };
}

const waiting = async () =>
  Number(/^flotilla_waiting_polls (\d+)$/m.exec((await metrics('GET', '/metrics')).text)?.[1]);
const poll = (headers: Record<string, string>): Promise<RestAnswer> =>
  restClient(pod.url)('GET', '/api/updates/poll', { headers, query: { bot_id: bot.id, timeout: 60 } });

/** The response to a poll that waits while something happens to its credential. */
async function answerOf(headers: Record<string, string>, happens: () => Promise<unknown>): Promise<RestAnswer> {
  const others = await waiting();
  const answer = poll(headers);
  await waitFor(async () => (await waiting()) === others + 1);
  await happens();
  return answer;
}

const ofKey = ({ key }: TestAccount) => ({ authorization: `Bearer ${key}` });
const ofSession = ({ cookie }: Somebody) => ({ cookie });
const post = (path: string, body: object) => async () =>
  expect((await api.admin('POST', path, { body })).status).toBe(200);
const byItself = (who: Somebody, path: string, body: object) => async () => {
  const headers = ofSession(who);
  expect((await restClient(api.url)('POST', path, { body, headers })).status).toBe(200);
};

type End = (who: Somebody) => () => Promise<unknown>;
const changePassword: End = (who) =>
  byItself(who, '/api/auth/change-password', { old_password: who.password, new_password: 'another password' });
const deleteAccount: End = ({ id }) => post('/api/auth/users/delete', { id });
const takeBot: End = ({ id }) => post('/api/auth/users/update', { id, bot_ids: [] });

describe('a poll that waits with a key ends', () => {
  test.each<[string, number, End]>([
    ['when the key is deleted', 401, ({ keyId }) => post(`${KEYS}/delete`, { id: keyId })],
    ['when the key is disabled', 401, ({ keyId }) => post(`${KEYS}/toggle`, { id: keyId, enabled: false })],
    ['when its account is deleted', 401, deleteAccount],
    ['when its account loses the bot', 403, takeBot],
  ])('%s', async (_title, status, end) => {
    const who = await somebody();
    expect((await answerOf(ofKey(who), end(who))).status).toBe(status);
  });

  test('when the key expires', async () => {
    const who = await somebody();
    const body = { name: 'short', expires_at: new Date(Date.now() + 3000).toISOString() };
    const made = await restClient(api.url, who.key)('POST', KEYS, { body });
    const { key } = made.json as { key: string };
    expect((await answerOf(ofKey({ ...who, key }), async () => {})).status).toBe(401);
  });
});

describe('a poll that waits with a session ends', () => {
  test.each<[string, number, End]>([
    ['when the password is changed', 401, changePassword],
    [
      'when the password is reset',
      401,
      ({ id }) => post('/api/auth/users/reset-password', { id, password: 'by the admin' }),
    ],
    ['when the session signs out', 401, (who) => byItself(who, '/api/auth/logout', {})],
    ['when its account is deleted', 401, deleteAccount],
    ['when its account loses the bot', 403, takeBot],
  ])('%s', async (_title, status, end) => {
    const who = await somebody();
    expect((await answerOf(ofSession(who), end(who))).status).toBe(status);
  });
});

test('a poll that waits with a session ends when that comes to its thirtieth day', async () => {
  const who = await somebody();
  const redis = await connectRedis({ url: api.redis.url, log: { warn: () => {} } });
  api.endBefore(redis.close);
  const key = authKeys.session(/^session=s:([^.]+)\./.exec(decodeURIComponent(who.cookie))?.[1] ?? '');
  const record = JSON.parse((await redis.commands.get(key)) ?? '{}') as object;
  await redis.commands.set(key, JSON.stringify({ ...record, endsAtMs: Date.now() + 3000 }), 'KEEPTTL');
  expect((await answerOf(ofSession(who), async () => {})).status).toBe(401);
});

test('a poll goes on when another key, another account and another session end', async () => {
  const [who, other] = [await somebody(), await somebody()];
  const polls = [poll(ofKey(who)), poll(ofSession(who))];
  let ended = 0;
  for (const one of polls) void one.then(() => (ended += 1));
  await waitFor(async () => (await waiting()) === 2);
  expect((await answerOfOther(other)).status).toBe(401);
  expect([ended, await waiting()]).toEqual([0, 2]);
  await deleteAccount(who)();
  expect((await Promise.all(polls)).map(({ status }) => status)).toEqual([401, 401]);
});

async function answerOfOther(other: Somebody): Promise<RestAnswer> {
  const answer = poll(ofKey(other));
  await waitFor(async () => (await waiting()) === 3);
  await byItself(other, '/api/auth/logout', {})();
  await deleteAccount(other)();
  return answer;
}

test('an export that its reader takes slowly is broken off when the key ends', async () => {
  const who = await somebody();
  const text = 'x'.repeat(4000);
  for (let page = 0; page < 10; page += 1) {
    const messages = Array.from({ length: 500 }, (_, at) => ({ chat_id: 5, id: page * 500 + at + 1, date: 1, text }));
    await storeMessages(api.database.db, bot.id, messages);
  }
  const url = `${pod.url}/api/messages/export?bot_id=${bot.id}&chat_id=5`;
  const request = get(url, { headers: ofKey(who), agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.pause();
  await post(`${KEYS}/delete`, { id: who.keyId })();
  // The api logs the request when it has ended the response, even though the client has not read the rest.
  const isOver = () => api.logLines.some((line) => line.includes('/api/messages/export'));
  await waitFor(isOver, { timeoutMs: ENDS_WITHIN_MS });
  response.resume();
  await expect(once(response, 'end')).rejects.toThrow('aborted');
});
