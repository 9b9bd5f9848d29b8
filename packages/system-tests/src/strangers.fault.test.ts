import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import type { FleetProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { memoryGrowth } from '@flotilla/testing/fleet/memory-growth.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { type RawConnection, rawConnection } from '@flotilla/testing/raw-http.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

const STRANGER = '4242:AAstrangerstrangerstrangerstrangerx';
const MB = 1024 * 1024;
const JSON_TYPE = 'Content-Type: application/json\r\n';
const CHUNKED = `${JSON_TYPE}Transfer-Encoding: chunked\r\n`;

let fleet: Fleet;
let bot: FleetBot;
let clients: RawConnection[] = [];
/** A new process for each test, because a process may keep memory that it once used. */
let api: FleetProcess;

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 0 });
  bot = await fleet.addBot({ long_poll_enabled: true });
}, 120_000);
afterAll(() => fleet?.stop(), 60_000);
beforeEach(async () => {
  api = await fleet.start('api');
}, 60_000);
afterEach(async () => {
  for (const client of clients) client.end();
  clients = [];
  await api?.kill();
});

const path = (token: string, method = '') => `/tgapi/bot${token}/${method}`;
const head = (to: string, headers: string) => `POST ${to} HTTP/1.1\r\nHost: h\r\n${headers}\r\n`;
const chunk = (bytes: Buffer) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes]);

async function send(count: number, parts: (string | Buffer)[]): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const client = await rawConnection(api.port);
    for (const part of parts) client.send(part);
    clients.push(client);
  }
}

/** Waits until all connections are closed, and checks meanwhile that the api still serves others. */
async function untilAllAreClosed(): Promise<void> {
  await waitFor(
    async () => {
      const answer = await fetch(`http://127.0.0.1:${api.port}/api/bots`, {
        headers: { authorization: `Bearer ${ADMIN_KEY}` },
      });
      expect(answer.status).toBe(200);
      await answer.text();
      return clients.every((client) => client.closed());
    },
    { timeoutMs: 60_000, message: 'every connection to be closed' },
  );
  expect(await readMetric(api, 'flotilla_held_body_bytes')).toBe(0);
}

/** Ends all connections after what they have sent: the api need not wait for their time limits. */
async function hangUp(): Promise<void> {
  for (const client of clients) client.socket.end();
  await untilAllAreClosed();
}

describe('what 500 connections make the api hold that send 900 KB and then nothing', () => {
  const body = Buffer.alloc(900_000, 'x');
  const cases: [what: string, parts: () => (string | Buffer)[]][] = [
    ['in chunks to a path without a method, of a stranger', () => [head(path(STRANGER), CHUNKED), chunk(body)]],
    [
      'to a path without a method, of a stranger',
      () => [head(path(STRANGER), `${JSON_TYPE}Content-Length: 900001\r\n`), body],
    ],
    ['in chunks to a path without a method, of a registered bot', () => [head(path(bot.token), CHUNKED), chunk(body)]],
    ['in chunks to setWebhook, of a registered bot', () => [head(path(bot.token, 'setWebhook'), CHUNKED), chunk(body)]],
    [
      'in chunks to REST, with a key',
      () => [head('/api/bots/validate', `${CHUNKED}Authorization: Bearer ${ADMIN_KEY}\r\n`), chunk(body)],
    ],
    ['in chunks to sign in', () => [head('/api/auth/login', CHUNKED), chunk(body)]],
  ];

  test.each(cases)(
    '%s',
    async (_what, parts) => {
      // The first requests also load code and leave garbage.
      await send(50, parts());
      await hangUp();
      const grown = await memoryGrowth(api.pid, async () => {
        await send(500, parts());
        await untilAllAreClosed();
      });
      // At most 64 MB of bodies may be held; without that limit the growth would be 400 MB.
      expect(grown).toBeLessThan(200 * MB);
    },
    90_000,
  );
});

test('300 connections of strangers that send a byte every few seconds are closed within 12 s', async () => {
  const beganAtMs = performance.now();
  await send(100, [head(path(STRANGER), CHUNKED)]);
  await send(100, [head(path(STRANGER, 'sendMessage'), CHUNKED)]);
  await send(100, [head('/api/auth/login', CHUNKED)]);
  const trickling = setInterval(() => {
    for (const client of clients) if (!client.closed()) client.send('1\r\n \r\n');
  }, 3000);
  await untilAllAreClosed().finally(() => clearInterval(trickling));
  // The promise is 12 s; the margin is for a busy machine.
  expect(performance.now() - beganAtMs).toBeLessThan(16_000);
}, 60_000);

describe('a body that comes byte by byte is cut off', () => {
  const bytes = Buffer.from('1\r\nx\r\n'.repeat(900_000));
  const cases = (): [what: string, to: string, headers: string][] => [
    ['of a stranger, passed on', path(STRANGER, 'sendMessage'), CHUNKED],
    ['of a stranger, refused before it is read', '/api/bots/add', CHUNKED],
    ['passed on and captured', path(bot.token, 'sendMessage'), CHUNKED],
    ['without a method in the path', path(bot.token), CHUNKED],
    ['of a setWebhook', path(bot.token, 'setWebhook'), CHUNKED],
    [
      'of a form',
      path(bot.token, 'setWebhook'),
      CHUNKED.replace('application/json', 'multipart/form-data; boundary=x'),
    ],
    ['of REST', '/api/bots/validate', `${CHUNKED}Authorization: Bearer ${ADMIN_KEY}\r\n`],
  ];
  const sendAll = async (each: number) => {
    for (const [, to, headers] of cases()) await send(each, [head(to, headers), bytes]);
  };

  test('and takes neither memory nor time', async () => {
    await sendAll(1);
    await untilAllAreClosed();
    const seconds = async () => (await readMetric(api, 'process_cpu_seconds_total')) ?? 0;
    const cpuBefore = await seconds();
    const grown = await memoryGrowth(api.pid, async () => {
      await sendAll(2);
      await untilAllAreClosed();
    });
    // Whoever reads 14 bodies of 900,000 pieces needs twenty seconds of processor time.
    expect(await seconds()).toBeLessThan(cpuBefore + 5);
    expect(grown).toBeLessThan(100 * MB);
  }, 90_000);
});

/** The bytes that the api holds in its heap and outside of it. */
async function held(): Promise<number> {
  const parts = ['nodejs_heap_size_used_bytes', 'nodejs_external_memory_bytes'].map((name) => readMetric(api, name));
  return (await Promise.all(parts)).reduce<number>((sum, part) => sum + (part ?? Number.NaN), 0);
}

test('polls that wait hold nothing of 64 KB that their clients send ahead of the answers', async () => {
  const polls = 4000;
  const poll = `GET ${path(bot.token, 'getUpdates?timeout=50')} HTTP/1.1\r\nHost: h\r\n`;
  const open = async (count: number) => {
    const before = clients.length;
    await send(count, [`${poll}\r\n`]);
    await waitFor(async () => (await readMetric(api, 'flotilla_waiting_polls')) === before + count, {
      timeoutMs: 40_000,
      message: 'the polls to wait',
    });
  };
  await open(polls);
  const before = await held();
  const ahead = `${poll}X: ${'x'.repeat(64 * 1024 - poll.length - 100)}`;
  for (const client of clients) client.send(ahead);
  await waitFor(async () => clients.every(({ socket }) => socket.destroyed || socket.writableLength === 0), {
    timeoutMs: 40_000,
    message: 'everything to be sent',
  });
  // Of the 250 MB that were sent; what the system keeps for the process to use again says nothing.
  expect((await held()) - before).toBeLessThan(100 * MB);
}, 120_000);
