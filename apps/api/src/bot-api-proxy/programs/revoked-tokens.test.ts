import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ProgramTokenResource } from '@flotilla/contract/program-tokens.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { latePublisher } from '@flotilla/domain/fleet/bots/publish-late-changes.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { rawConnection } from '@flotilla/testing/raw-http.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { ADMIN_KEY, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../config.ts';
import type { Context } from '../../context.ts';

type Token = ProgramTokenResource & { token: string };

const PATIENCE = { timeoutMs: 20_000 };

let api: TestApi;
let redis: TestRedis;
let relay: TcpRelay;
/** A pod that reaches Redis through the relay. */
let far: { url: string };
/** The dependencies of the upkeep of a worker. */
let worker: Context;

beforeAll(async () => {
  redis = await startTestRedis();
  relay = await startTcpRelay(redis.port);
  api = await startTestApi({ REDIS_URL: redis.url });
  far = await api.startPod({ REDIS_URL: `redis://127.0.0.1:${relay.port}` });
  worker = await createContext(readConfig(api.env), { log: createLogger({ name: 'worker', level: 'silent' }) });
}, 60_000);
afterAll(async () => {
  await relay?.restore();
  await worker?.close();
  await api?.stop();
  await relay?.stop();
  await redis?.stop();
}, 60_000);

async function post<Answer>(path: string, body: object): Promise<Answer> {
  const answer = await api.admin('POST', path, { body });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return answer.json as Answer;
}

async function newToken(bot: BotResource): Promise<Token> {
  const name = `relay ${Math.random()}`;
  const program = await post<ProgramResource>('/api/programs/add', { bot_id: bot.id, name });
  return post<Token>('/api/programs/tokens/add', { program_id: program.id, name: 'own' });
}

async function getMe(pod: { url: string }, token: string) {
  const answer = await fetch(`${pod.url}/tgapi/bot${token}/getMe`);
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), json: await answer.json() };
}
const statusOf = async (pod: { url: string }, token: string) => (await getMe(pod, token)).status;
const until = (pod: { url: string }, token: string, status: number) =>
  waitFor(async () => (await statusOf(pod, token)) === status, PATIENCE);

describe.each([
  ['is cut off from Redis', (relayed: TcpRelay) => relayed.cut()],
  ['gets no answer from Redis', (relayed: TcpRelay) => relayed.hang()],
])('a pod that %s', (_title, takeAway) => {
  afterAll(() => relay.restore());

  test('accepts no token of a program any more, because it may have been revoked, and goes on with those of bots', async () => {
    const bot = await api.addBot();
    const [revoked, kept] = [await newToken(bot), await newToken(bot)];
    await Promise.all([revoked, kept].map(({ token }) => until(far, token, 200)));
    await takeAway(relay);
    await post('/api/programs/tokens/delete', { id: revoked.id });
    expect(await statusOf(api, revoked.token)).toBe(401);
    await until(far, revoked.token, 503);
    const { retryAfter, json } = await getMe(far, kept.token);
    expect(json).toMatchObject({
      ok: false,
      error_code: 503,
      description: expect.stringMatching(/^Service Unavailable: /),
    });
    expect(Number(retryAfter)).toBeGreaterThan(0);
    const file = await fetch(`${far.url}/tgapi/file/bot${kept.token}/photos/file_1.jpg`);
    expect(file.status).toBe(503);
    expect([await statusOf(far, bot.token), await statusOf(api, kept.token)]).toEqual([200, 200]);
    await relay.restore();
    await until(far, revoked.token, 401);
    await until(far, kept.token, 200);
  });
});

test.each(['sendMessage', 'deleteWebhook'])(
  'a token that is revoked while the body of %s comes in does nothing any more',
  async (method) => {
    const bot = await api.addBot();
    const program = await post<ProgramResource>('/api/programs/add', { bot_id: bot.id, name: 'revoked meanwhile' });
    const token = await post<Token>('/api/programs/tokens/add', { program_id: program.id, name: 'own', chats: [5] });
    await until(api, token.token, 200);
    const body = JSON.stringify({ chat_id: 5, text: 'too late' });
    const client = await rawConnection(Number(new URL(api.url).port));
    try {
      const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      client.send(`POST /tgapi/bot${token.token}/${method} HTTP/1.1\r\nHost: api\r\n${headers}\r\n${body.slice(0, 9)}`);
      await until(api, token.token, 200);
      await post('/api/programs/tokens/delete', { id: token.id });
      await until(api, token.token, 401);
      client.send(body.slice(9));
      await client.waitFor(/^HTTP\/1\.1 401 /);
      const { calls } = await api.platform.readCalls({ bot: Number(bot.token.split(':')[0]) });
      expect(calls.map((call) => call.method)).not.toContain('sendmessage');
    } finally {
      client.socket.destroy();
    }
  },
);

test('a token whose pod is cut off from Redis while the body comes in does nothing, because it may have been revoked', async () => {
  const bot = await api.addBot();
  const program = await post<ProgramResource>('/api/programs/add', { bot_id: bot.id, name: 'cut off meanwhile' });
  const limits = { program_id: program.id, name: 'own', chats: [5] };
  const { token } = await post<Token>('/api/programs/tokens/add', limits);
  await until(far, token, 200);
  const body = JSON.stringify({ chat_id: 5, text: 'too late' });
  const client = await rawConnection(Number(new URL(far.url).port));
  try {
    const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    client.send(`POST /tgapi/bot${token}/sendMessage HTTP/1.1\r\nHost: api\r\n${headers}\r\n${body.slice(0, 9)}`);
    await until(far, token, 200);
    await relay.cut();
    await until(far, token, 503);
    client.send(body.slice(9));
    await client.waitFor(/^HTTP\/1\.1 503 /);
  } finally {
    client.socket.destroy();
    await relay.restore();
  }
});

describe('what a pod stored and could not publish', () => {
  async function fails(path: string, id: number): Promise<void> {
    await relay.cut();
    const admin: RestClient = restClient(far.url, ADMIN_KEY);
    const answer = await admin('POST', path, { body: { id } });
    await relay.restore();
    expect(answer).toMatchObject({ status: 503, json: { store: 'redis' } });
  }

  test('is published by upkeep once it has seen it twice: a token is revoked', async () => {
    const { id, token } = await newToken(await api.addBot());
    await until(far, token, 200);
    const publishLate = latePublisher(worker);
    expect(await publishLate()).toBe(0);
    await fails('/api/programs/tokens/delete', id);
    expect(await publishLate()).toBe(0);
    expect(await statusOf(api, token)).toBe(200);
    expect(await publishLate()).toBe(1);
    await until(api, token, 401);
    await until(far, token, 401);
    expect(await publishLate()).toBe(0);
  });

  test('or a bot is deleted with its tokens', async () => {
    const bot = await api.addBot();
    const { token } = await newToken(bot);
    await until(far, token, 200);
    const publishLate = latePublisher(worker);
    await fails('/api/bots/delete', bot.id);
    expect([await publishLate(), await publishLate()]).toEqual([0, 1]);
    await until(api, token, 401);
    expect(await publishLate()).toBe(0);
  });
});
