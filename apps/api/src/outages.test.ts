import type { BotResource } from '@flotilla/contract/bots.ts';
import { administer } from '@flotilla/testing/postgres.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { ADMIN_KEY, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const CHAT = 31;

let api: TestApi;
let postgres: TcpRelay;
let admin: RestClient;
let bot: BotResource;

beforeAll(async () => {
  api = await startTestApi();
  const database = new URL(api.database.url);
  postgres = await startTcpRelay(Number(database.port));
  database.port = String(postgres.port);
  const pod = await api.startPod({ DATABASE_URL: database.href });
  admin = restClient(pod.url, ADMIN_KEY);
  const known = await api.platform.createBot({});
  // On a busy machine a store may be slower than the service waits: then it is 503.
  await waitFor(async () => {
    const added = await admin('POST', '/api/bots/add', { body: { token: known.token, long_poll_enabled: true } });
    bot = added.json as BotResource;
    return added.status === 200;
  });
  await api.platform.createPerson({ id: CHAT });
  await api.platform.startBot({ person: CHAT, bot: known.id });
}, 60_000);

afterAll(async () => {
  await api?.stop();
  await postgres?.stop();
});

const messages = () => admin('GET', '/api/messages', { query: { bot_id: bot.id, chat_id: CHAT } });
const send = () => admin('POST', '/api/messages/send', { body: { bot_id: bot.id, chat_id: CHAT, text: 'x' } });
const poll = (key?: string) => {
  const query = { bot_id: bot.id, timeout: 0 };
  return admin('GET', '/api/updates/poll', key === undefined ? { query } : { query, headers: { authorization: key } });
};

function expectUnavailable(answer: RestAnswer, store: 'postgres' | 'redis'): void {
  expect(answer).toMatchObject({ status: 503, json: { code: 'unavailable', store } });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
}

/** The lines of the log about the request of this answer; the last of them is written when the answer is sent. */
async function logged({ json }: RestAnswer): Promise<object[]> {
  const id = (json as { request_id: string }).request_id;
  const lines = () => api.logLines.filter((line) => line.includes(id)).map((line) => JSON.parse(line) as object);
  await waitFor(() => lines().some((line) => 'durationMs' in line));
  return lines();
}

const sentBy = async () => {
  const id = Number(bot.token.split(':')[0]);
  return (await api.platform.readCalls({ bot: id, method: 'sendMessage' })).total;
};

describe.each([
  ['is down', (relay: TcpRelay) => relay.cut()],
  ['hangs', (relay: TcpRelay) => relay.hang()],
])('while Postgres %s', (_title, takeAway) => {
  beforeAll(async () => {
    expect((await messages()).status).toBe(200);
    await takeAway(postgres);
  });

  afterAll(async () => {
    await postgres.restore();
    await waitFor(async () => (await messages()).status === 200, { timeoutMs: 15_000 });
  }, 20_000);

  test('REST answers 503, and nothing is sent that could not be stored', async () => {
    const before = await sentBy();
    const answers = await Promise.all([messages(), send()]);
    for (const answer of answers) expectUnavailable(answer, 'postgres');
    expect(await sentBy()).toBe(before);
  });

  test('polls by API key, the list of bots and readiness go on', async () => {
    expect((await poll()).json).toMatchObject({ ok: true });
    expect((await admin('GET', '/api/bots')).json).toContainEqual(expect.objectContaining({ id: bot.id }));
    const { status, json } = await admin('GET', '/readyz');
    expect([status, json]).toEqual([200, { ready: true, reasons: [], warnings: ['Postgres does not answer'] }]);
  });

  test('the log has one line for a failed request, with the reason and without a stack', async () => {
    const lines = await logged(await messages());
    expect(lines).toMatchObject([
      { level: 40, req: { path: '/api/messages' }, res: { status: 503 }, reason: expect.any(String) },
    ]);
    expect(lines[0]).not.toHaveProperty('err');
  });

  test('a key that is not known here is 503 and not 401', async () => {
    expectUnavailable(await poll(`Bearer flt_never_seen_before_${Math.random()}`), 'postgres');
  });
});

test('the log has one line for a fault of ours, with its stack', async () => {
  await administer(api.database.url, 'alter table chats rename to gone');
  const answer = await admin('GET', '/api/chats', { query: { bot_id: bot.id } });
  await administer(api.database.url, 'alter table gone rename to chats');
  expect(answer.status).toBe(500);
  expect(await logged(answer)).toMatchObject([
    { level: 50, res: { status: 500 }, err: { message: expect.stringContaining('chats'), stack: expect.any(String) } },
  ]);
});

test('with Redis away everything that needs it is 503, and comes back by itself', async () => {
  api.redis.kill();
  await waitFor(async () => (await poll()).status === 503);
  for (const call of [
    poll,
    () => admin('GET', '/api/bots'),
    () => admin('POST', '/api/auth/api-keys', { body: { name: 'x' } }),
  ]) {
    expectUnavailable(await call(), 'redis');
  }
  const login = () => admin('POST', '/api/auth/login', { body: { username: 'admin', password: 'x' }, headers: NOBODY });
  expectUnavailable(await login(), 'redis');
  expect((await messages()).status).toBe(200 /* this call needs only Postgres and the snapshot of bots */);
  await api.redis.restart();
  await waitFor(async () => (await poll()).status === 200, { timeoutMs: 15_000 });
  expect((await login()).status).toBe(401);
}, 40_000);

const NOBODY = { authorization: '' };
