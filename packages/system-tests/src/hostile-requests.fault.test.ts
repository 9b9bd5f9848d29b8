import { createHash } from 'node:crypto';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import type { FleetProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { memoryGrowth } from '@flotilla/testing/fleet/memory-growth.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { aMillionKeys, oddMessage, oddUpdates } from '@flotilla/testing/odd-json.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type BackgroundLoad, startBackgroundLoad } from './background-load.ts';

const STRANGER = '4242:AAstrangerstrangerstrangerstrangerx';
const MB = 1024 * 1024;
const SENT = '{"message_id":1,"date":1700000000,"chat":{"id":5,"type":"private"},"document":{"file_id":"f"}}';

let fleet: Fleet;
let backend: TestBackend;
/** Background load during all attacks; a client also pulls from the attacked api. */
let load: BackgroundLoad;
let platform: Server;
/** An api with a separate platform and no bots of its own; the fleet's traffic does not reach it. */
let uploader: FleetProcess;
/** The size and hash of each upload that the separate platform received. */
let uploaded: { bytes: number; sha256: string }[] = [];

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 }, { PUBLIC_URL: 'http://127.0.0.1:1' });
  backend = await startBackend();
  platform = createServer((request, response) => {
    const hash = createHash('sha256');
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      hash.update(chunk);
    });
    request.on('end', () => {
      uploaded.push({ bytes, sha256: hash.digest('hex') });
      response.end(`{"ok":true,"result":${request.url?.endsWith('/sendDocument') ? SENT : true}}`);
    });
  });
  // This process is busy at times, and would then close connections on which a request is on its way.
  platform.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  uploader = await fleet.start('api', {
    TELEGRAM_API_URL: `http://127.0.0.1:${(platform.address() as AddressInfo).port}`,
  });
  fleet.apis.pop();
  load = await startBackgroundLoad(fleet, { pulled: true });
}, 120_000);
afterAll(async () => {
  await uploader?.stop();
  platform?.close();
  await backend?.stop();
  await fleet?.stop();
}, 60_000);

const api = () => fleet.apis[0]!;
/** The longest time (ms) that the event loop was blocked since the last call. */
const longestHoldMs = async (process = api()) =>
  ((await readMetric(process, 'nodejs_eventloop_lag_max_seconds')) ?? 0) * 1000;

describe('500 requests that never come to their end', () => {
  test('are closed within 10 s, and others are served meanwhile', async () => {
    const sockets: Socket[] = [];
    const beganAtMs = performance.now();
    let closed = 0;
    for (let at = 0; at < 500; at += 1) {
      const socket = connect(api().port, '127.0.0.1');
      socket
        .on('error', () => undefined)
        .on('close', () => (closed += 1))
        .resume();
      if (at % 3 === 1) socket.write('POST /api/bots/add HTTP/1.1\r\nHost: h\r\nContent-');
      if (at % 3 === 2) socket.write(`POST /bot${STRANGER}/getMe HTTP/1.1\r\nHost: h\r\nContent-Length: 50\r\n\r\n{`);
      sockets.push(socket);
    }
    let served = 0;
    while (closed < sockets.length && performance.now() - beganAtMs < 20_000) {
      const answer = await fetch(`http://127.0.0.1:${api().port}/api/bots`, {
        headers: { authorization: `Bearer ${ADMIN_KEY}` },
        signal: AbortSignal.timeout(3000),
      });
      expect(answer.status).toBe(200);
      await answer.text();
      served += 1;
    }
    expect(closed).toBe(500);
    // The promise is 10 s; the margin is for a busy machine.
    expect(performance.now() - beganAtMs).toBeLessThan(13_000);
    expect(served).toBeGreaterThan(50);
  }, 60_000);
});

describe('large bodies', () => {
  test('300 MB of JSON to REST and to the intake are 413, and are not held', async () => {
    const bot = await fleet.addBot({ webhook_mode: true, long_poll_enabled: true });
    const { secretToken } = await fleet.control.readWebhook({ bot: bot.platformId });
    const key = { authorization: `Bearer ${ADMIN_KEY}` };
    const secret = { 'x-telegram-bot-api-secret-token': secretToken };
    const refuseAll = async (megabytes: number) => {
      for (const chunked of [false, true]) {
        expect(await upload(api().port, '/api/bots/add', megabytes, key, chunked)).toBe(413);
        expect(await upload(api().port, `/telegram/${bot.id}`, megabytes, secret, chunked)).toBe(413);
      }
    };
    // The first refusals also load code.
    await refuseAll(2);
    // Discarded body bytes stay in memory until the next garbage collection, whatever the body's size.
    expect(await memoryGrowth(api().pid, () => refuseAll(300))).toBeLessThan(150 * MB);
  }, 60_000);

  test('through the proxy are streamed: the same bytes; 50 MB cost 80 MB of memory at most, ten of them at once 200 MB', async () => {
    const uploadAll = async (megabytes: number, atOnce: number) => {
      uploaded = [];
      const statuses = Array.from({ length: atOnce }, (_, at) => uploadToPlatform(megabytes, at % 2 === 0));
      expect(await Promise.all(statuses)).toEqual(Array(atOnce).fill(200));
      expect(uploaded).toEqual(Array(atOnce).fill({ bytes: megabytes * MB, sha256: sha256Of(megabytes) }));
    };
    // The first uploads also load code.
    await uploadAll(1, 2);
    const ofOne = await memoryGrowth(uploader.pid, () => uploadAll(50, 1));
    const ofTen = await memoryGrowth(uploader.pid, () => uploadAll(50, 10));
    const ofLarge = await memoryGrowth(uploader.pid, () => uploadAll(200, 1));
    expect(ofOne).toBeLessThan(80 * MB);
    expect(ofOne + ofTen).toBeLessThan(200 * MB);
    expect(ofOne + ofTen + ofLarge).toBeLessThan(200 * MB);
  }, 60_000);
});

describe('files of REST calls', () => {
  test('are streamed to the platform: eight of 48 MB at once cost 200 MB of memory at most', async () => {
    const bot = await fleet.addBot({});
    const sendAll = async (megabytes: number, atOnce: number) => {
      uploaded = [];
      const bytes = new Blob([Buffer.alloc(megabytes * MB)]);
      const sends = Array.from({ length: atOnce }, async () => {
        const form = new FormData();
        form.set('bot_id', String(bot.id));
        form.set('chat_id', '5');
        form.set('file', bytes, 'a.bin');
        const headers = { authorization: `Bearer ${ADMIN_KEY}` };
        const url = `http://127.0.0.1:${uploader.port}/api/messages/send`;
        return (await fetch(url, { method: 'POST', body: form, headers })).status;
      });
      expect(await Promise.all(sends)).toEqual(Array(atOnce).fill(200));
      for (const size of uploaded) expect(size.bytes).toBeGreaterThan(megabytes * MB);
    };
    // The first files also load code.
    await sendAll(1, 2);
    expect(await memoryGrowth(uploader.pid, () => sendAll(48, 8))).toBeLessThan(200 * MB);
  }, 60_000);
});

describe('JSON made to break or to hold up its reader', () => {
  const odd = oddUpdates();
  let bot: FleetBot;
  let secret: Record<string, string>;

  beforeAll(async () => {
    bot = await fleet.addBot({
      webhook_mode: true,
      long_poll_enabled: true,
      proxy_enabled: true,
      backend_url: `${backend.url}/odd`,
    });
    const { secretToken } = await fleet.control.readWebhook({ bot: bot.platformId });
    secret = { 'x-telegram-bot-api-secret-token': secretToken };
  }, 30_000);

  const push = (body: string) => post(api().port, `/telegram/${bot.id}`, body, secret);

  test('reaches the backend and the poller byte for byte, or is refused; the history goes on', async () => {
    await longestHoldMs();
    await longestHoldMs(fleet.workers[0]!);
    const taken: string[] = [];
    for (const [what, body] of odd) {
      const status = await push(body);
      expect([what, [200, 400].includes(status)]).toEqual([what, true]);
      if (status === 200) taken.push(body);
    }
    expect(taken.length).toBeGreaterThanOrEqual(4);
    const received = () => backend.requests.filter(({ url }) => url === '/odd').map(({ text }) => text);
    await waitFor(() => received().length >= taken.length, { timeoutMs: 30_000, message: 'the deliveries' });
    expect(received().sort()).toEqual([...taken].sort());
    const polled = await fetch(`${fleet.url}/tgapi/bot${bot.token}/getUpdates?timeout=0`).then((answer) =>
      answer.text(),
    );
    for (const body of taken) expect(polled.includes(body)).toBe(true);

    expect(await push(oddMessage(50, '"after"'))).toBe(200);
    await waitFor(
      async () =>
        (await fleet.rest<{ text: string }[]>(`/api/messages?bot_id=${bot.id}&chat_id=5`)).some(
          ({ text }) => text === 'after',
        ),
      { timeoutMs: 30_000, message: 'the history behind them' },
    );
    // Parsing takes at most 65 ms of CPU. A busy machine stretches this, but quadratic work takes far longer.
    expect(await longestHoldMs()).toBeLessThan(3_000);
    expect(await longestHoldMs(fleet.workers[0]!)).toBeLessThan(3_000);
  }, 120_000);

  test('a million keys are refused by every interface that reads them', async () => {
    await longestHoldMs();
    const key = { authorization: `Bearer ${ADMIN_KEY}` };
    const body = aMillionKeys();
    expect(await push(body)).toBe(413);
    expect(await post(api().port, '/api/bots/add', body, key)).toBe(413);
    expect(await post(api().port, `/tgapi/bot${bot.token}/setWebhook`, body)).toBe(413);
    for (const [, small] of odd) {
      expect(await post(api().port, '/api/bots/add', small, key)).toBe(400);
      const status = await post(api().port, `/tgapi/bot${bot.token}/getWebhookInfo`, small);
      expect([200, 413]).toContain(status);
    }
    expect(await longestHoldMs()).toBeLessThan(3_000);
  }, 60_000);
});

test('beside all of that 300 updates a second were pushed and pulled: none is missing, each chat in its order', async () => {
  const { made, readers } = await load.end();
  expect(readers).toEqual([
    { arrived: made, faults: [] },
    { arrived: made, faults: [] },
  ]);
}, 150_000);

const CHUNK = Buffer.alloc(MB).map((_, at) => (at * 7) & 0xff);

function sha256Of(megabytes: number): string {
  const hash = createHash('sha256');
  for (let at = 0; at < megabytes; at += 1) hash.update(CHUNK);
  return hash.digest('hex');
}

const uploadToPlatform = (megabytes: number, chunked: boolean) =>
  upload(uploader.port, `/tgapi/bot${STRANGER}/sendDocument`, megabytes, {}, chunked);

/** Sends this many MB as fast as the server reads; returns the status, however early the server sends it. */
async function upload(
  port: number,
  path: string,
  megabytes: number,
  headers: Record<string, string> = {},
  chunked = false,
): Promise<number> {
  const length = chunked ? {} : { 'content-length': String(megabytes * MB) };
  const sending = httpRequest({
    port,
    host: '127.0.0.1',
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...length, ...headers },
  });
  const answered = new Promise<number>((resolve, reject) => {
    sending.on('error', reject);
    sending.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
  });
  let status = 0;
  answered.then(
    (known) => {
      status = known;
    },
    () => undefined,
  );
  for (let left = megabytes; left > 0 && status === 0 && !sending.destroyed; left -= 1) {
    if (!sending.write(CHUNK)) await Promise.race([new Promise((resolve) => sending.once('drain', resolve)), answered]);
  }
  if (status === 0) sending.end();
  const answer = await answered;
  if (status !== 200) sending.destroy();
  return answer;
}

async function post(port: number, path: string, body: string, headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  await answer.text();
  return answer.status;
}
