import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { type RawConnection, type RawServer, rawConnection, startRawServer } from '@flotilla/testing/raw-http.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { ADMIN_KEY, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../config.ts';
import { botApiProxy } from './bot-api-proxy.ts';

const STRANGER = '4242:AAstrangerstrangerstrangerstrangerx';
const MESSAGE = (id: number) => `{"message_id":${id},"date":1,"chat":{"id":5,"type":"private"},"text":"x"}`;
const JSON_HEAD = 'Host: h\r\nContent-Type: application/json\r\n';

let platform: RawServer;
let api: TestApi;
let admin: RestClient;
let redis: RedisHandles;
/** Calls that the platform has received but not answered. */
let held: RawConnection[];
let sent = 0;

beforeAll(async () => {
  platform = await startRawServer((connection) => {
    const received = connection.received();
    if (!isWhole(received)) return;
    connection.clear();
    if (/^POST \/bot[^/]+\/(getMe|deleteWebhook) /.test(received)) connection.send(answerTo(ME));
    else held.push(connection);
  });
  api = await startTestApi({ TELEGRAM_API_URL: platform.url });
  admin = restClient(api.url, ADMIN_KEY);
  redis = await connectRedis({ url: api.redis.url, log: createLogger({ name: 'test', level: 'silent' }) });
});
afterAll(async () => {
  await redis?.close();
  await api?.stop();
  await platform?.stop();
});
beforeEach(() => {
  held = [];
});

const ME = '{"id":1,"is_bot":true,"first_name":"B","username":"b_bot"}';
const answerTo = (result: string, status = '200 OK') => {
  const body = `{"ok":true,"result":${result}}`;
  return `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};
function isWhole(message: string): boolean {
  const end = message.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = /^content-length: *(\d+)/im.exec(message.slice(0, end))?.[1];
  if (length !== undefined) return message.length >= end + 4 + Number(length);
  return !/^transfer-encoding:/im.test(message.slice(0, end)) || message.endsWith('0\r\n\r\n');
}

async function newBot(): Promise<{ id: number; token: string }> {
  sent += 1;
  const added = await admin('POST', '/api/bots/add', {
    body: { token: `${7000 + sent}:AAgonegonegonegonegonegonegonegonego` },
  });
  expect(added.status).toBe(200);
  return added.json as { id: number; token: string };
}
const request = (token: string, method: string, body = '{"chat_id":5,"text":"x"}') =>
  `POST /tgapi/bot${token}/${method} HTTP/1.1\r\n${JSON_HEAD}Content-Length: ${body.length}\r\n\r\n${body}`;
/** Makes a call, waits until the platform has received it, and closes the client. */
async function giveUpOn(port: number, call: string): Promise<RawConnection> {
  const before = held.length;
  const client = await rawConnection(port);
  client.send(call);
  await waitFor(() => held.length > before, { message: 'the call to reach the platform' });
  client.end();
  return held.at(-1) as RawConnection;
}
const abandoned = (calls: number, pod: { metricsPort: number } = api) =>
  waitFor(async () => (await readMetric(pod, 'flotilla_proxy_abandoned_calls')) === calls);
/** The results on the history stream; no worker runs here to take them. */
async function captured(botId: number): Promise<string[]> {
  const entries = await redis.commands.xrange(botKeys(botId).history, '-', '+');
  return entries.flatMap(([, fields]) => {
    const field = (name: string) => fields[fields.indexOf(name) + 1];
    return field('t') === 'call' && field('b') === String(botId) ? [field('r') ?? ''] : [];
  });
}
const outcomes = async (pod: { metricsPort: number } = api) => {
  const count = async (outcome: string) =>
    (await readMetric(pod, 'flotilla_proxy_captured_calls_total', { outcome })) ?? 0;
  return { stored: await count('stored'), lost: await count('lost'), unanswered: await count('unanswered') };
};

describe('a captured call whose client gives up once the platform has it whole', () => {
  test('is read to its end and kept, as often as that happens', async () => {
    const bot = await newBot();
    const before = await outcomes();
    for (let call = 1; call <= 10; call += 1) await giveUpOn(api.port, request(bot.token, 'sendMessage'));
    await abandoned(10);
    for (const [at, connection] of held.entries()) connection.send(answerTo(MESSAGE(at)));
    await waitFor(async () => (await captured(bot.id)).length === 10);
    expect((await captured(bot.id)).sort()).toEqual(held.map((_, at) => MESSAGE(at)).sort());
    // Redis shows a call before the api has read the reply and counts it.
    await waitFor(async () => (await outcomes()).stored === before.stored + 10);
    expect(await outcomes()).toEqual({ ...before, stored: before.stored + 10 });
    expect(await readMetric(api, 'flotilla_proxy_calls_total', { kind: 'captured', status: 'client_gone' })).toBe(10);
  });

  test('is kept also when its body came in pieces', async () => {
    const bot = await newBot();
    const client = await rawConnection(api.port);
    client.send(
      `POST /bot${bot.token}/sendDocument HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`,
    );
    await waitFor(() => platform.connections.some((connection) => connection.received().endsWith('abc')));
    client.send('2\r\nde\r\n0\r\n\r\n');
    await waitFor(() => held.length === 1);
    client.end();
    await abandoned(1);
    held[0]?.send(answerTo(MESSAGE(1)));
    await waitFor(async () => (await captured(bot.id)).length === 1);
  });

  test('is kept also when it goes in the middle of the answer', async () => {
    const bot = await newBot();
    const client = await rawConnection(api.port);
    client.send(request(bot.token, 'sendMessage'));
    const connection = (await waitFor(() => held[0])) as RawConnection;
    const [begin, end] = [answerTo(MESSAGE(2)).slice(0, -20), answerTo(MESSAGE(2)).slice(-20)];
    connection.send(begin.replace(/Content-Length: \d+/, 'Connection: close'));
    await client.waitFor(/"message_id":2/);
    client.end();
    await abandoned(1);
    connection.send(end);
    connection.socket.end();
    await waitFor(async () => (await captured(bot.id)).length === 1);
    expect(await captured(bot.id)).toEqual([MESSAGE(2)]);
  });

  test('is kept also when it was not reading a long answer', async () => {
    const bot = await newBot();
    const long = `{"message_id":3,"pad":"${'x'.repeat(900_000)}"}`;
    const client = await rawConnection(api.port);
    client.socket.pause();
    client.send(request(bot.token, 'sendMessage'));
    const connection = (await waitFor(() => held[0])) as RawConnection;
    const answer = answerTo(long);
    connection.send(answer.slice(0, 600_000));
    client.end();
    await abandoned(1);
    connection.send(answer.slice(600_000));
    await waitFor(async () => (await captured(bot.id)).length === 1);
  });

  test('costs nothing more when the platform refuses it: the connection is given up with the client', async () => {
    const bot = await newBot();
    const before = await outcomes();
    const connection = await giveUpOn(api.port, request(bot.token, 'sendMessage'));
    connection.send('HTTP/1.1 400 Bad Request\r\nContent-Length: 1000\r\n\r\n{"ok":false');
    await connection.waitForClose();
    expect(await outcomes()).toEqual(before);
  });

  test('is counted as lost when its answer is longer than what is kept, and read no further', async () => {
    const bot = await newBot();
    const before = await outcomes();
    const connection = await giveUpOn(api.port, request(bot.token, 'sendMessage'));
    connection.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    for (let piece = 0; piece < 20; piece += 1) connection.send(`10000\r\n${'x'.repeat(65_536)}\r\n`);
    await connection.waitForClose();
    expect(await outcomes()).toEqual({ ...before, lost: before.lost + 1 });
  });

  test('is counted as unanswered when the platform breaks off instead of answering', async () => {
    const bot = await newBot();
    const before = await outcomes();
    const connection = await giveUpOn(api.port, request(bot.token, 'sendMessage'));
    connection.socket.resetAndDestroy();
    await waitFor(async () => (await outcomes()).unanswered === before.unanswered + 1);
  });

  test('is given up when the platform never answers, and counted as unanswered', async () => {
    const bot = await newBot();

    const context = await createContext(readConfig(api.env), { log: createLogger({ name: 'test', level: 'silent' }) });
    const proxy = botApiProxy(context, { readOnMs: 300 });
    const server = createServer(proxy.handle);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await waitFor(() => context.directory.ready() && context.directory.byId(bot.id));
    const { port } = server.address() as AddressInfo;
    const connection = await giveUpOn(port, request(bot.token, 'sendMessage'));
    await connection.waitForClose();
    expect(await context.metrics.registry.metrics()).toContain(
      'flotilla_proxy_captured_calls_total{outcome="unanswered"} 1',
    );
    server.close();
    await proxy.stop();
    await context.close();
  });

  test('is waited for while the process stops', async () => {
    const pod = await api.startPod();
    const bot = await newBot();
    await waitFor(async () => (await fetch(`${pod.url}/readyz`)).ok);
    const connection = await giveUpOn(pod.port, request(bot.token, 'sendMessage'));
    const stopped = pod.stop();
    await waitFor(() =>
      rawConnection(pod.port).then(
        ({ end }) => void end(),
        () => true,
      ),
    );
    connection.send(answerTo(MESSAGE(4)));
    await stopped;
    expect(await captured(bot.id)).toEqual([MESSAGE(4)]);
  });
});

describe('the call to the platform is ended with its client', () => {
  test('when its body was still coming', async () => {
    const bot = await newBot();
    const client = await rawConnection(api.port);
    client.send(`POST /bot${bot.token}/sendDocument HTTP/1.1\r\n${JSON_HEAD}Content-Length: 1000\r\n\r\nsome of it`);
    const connection = (await waitFor(() =>
      platform.connections.find((one) => one.received().endsWith('some of it')),
    )) as RawConnection;
    client.end();
    await connection.waitForClose();
  });

  test.each(['getChat', 'sendMessage'])('when it is one like %s of a stranger', async (method) => {
    const connection = await giveUpOn(api.port, request(STRANGER, method));
    await connection.waitForClose();
  });

  test('when it is not captured', async () => {
    const bot = await newBot();
    const connection = await giveUpOn(api.port, request(bot.token, 'getChat'));
    await connection.waitForClose();
  });
});

test('a poll whose client leaves waits no longer', async () => {
  const { token } = await newBot();
  const waiting = () => readMetric(api, 'flotilla_proxy_waiting_polls');
  const client = await rawConnection(Number(new URL(api.url).port));
  client.send(`GET /tgapi/bot${token}/getUpdates?timeout=50 HTTP/1.1\r\nHost: h\r\n\r\n`);
  await waitFor(async () => (await waiting()) === 1);
  client.end();
  await waitFor(async () => (await waiting()) === 0);
});
