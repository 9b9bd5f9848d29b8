import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { type Nginx, startNginx } from '@flotilla/testing/fleet/nginx.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const STRANGER = '4242:AAstrangerstrangerstrangerstrangerx';
const CLIENTS = 20;

let fleet: Fleet;
let nginx: Nginx;
let platform: Server;
/** How often each message reached the platform. */
const arrived = new Map<string, number>();

beforeAll(async () => {
  platform = createServer((request, response) => {
    const text = new URL(request.url ?? '', 'http://h').searchParams.get('text') ?? '';
    arrived.set(text, (arrived.get(text) ?? 0) + 1);
    // Long enough that calls are in flight at any moment.
    setTimeout(() => response.end('{"ok":true,"result":true}'), 100);
  });
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  const TELEGRAM_API_URL = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
  fleet = await startFleet({ apis: 0, workers: 0 }, { TRUSTED_PROXIES: '127.0.0.1', TELEGRAM_API_URL });
  const apiPorts = [await freePort(), await freePort()];
  for (const apiPort of apiPorts) await fleet.start('api', {}, apiPort);
  nginx = await startNginx({ apiPorts });
}, 120_000);
afterAll(async () => {
  await nginx?.stop();
  await fleet?.stop();
  platform?.closeAllConnections();
  platform?.close();
}, 60_000);

test('of the calls at the moment when an api is killed none reaches the platform twice, and only those in flight fail', async () => {
  const answered: { text: string; status: number }[] = [];
  let stopped = false;
  let sent = 0;
  const calling = async (method: string) => {
    while (!stopped) {
      sent += 1;
      const text = `${method} ${sent}`;
      const url = `${nginx.url}/bot${STRANGER}/sendMessage?chat_id=1&text=${encodeURIComponent(text)}`;
      const response = await fetch(url, { method });
      await response.text();
      answered.push({ text, status: response.status });
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, at) => calling(at % 2 === 0 ? 'GET' : 'POST'));
  const moreAnswers = async () => {
    const before = answered.length;
    await waitFor(() => answered.length > before + 10 * CLIENTS, { timeoutMs: 60_000, message: 'further answers' });
  };
  await moreAnswers();
  await fleet.apis[0]?.kill();
  await moreAnswers();
  stopped = true;
  await Promise.all(clients);
  const failed = answered.filter(({ status }) => status !== 200);
  expect(failed.length).toBeGreaterThan(0);
  expect(failed.length).toBeLessThanOrEqual(CLIENTS);
  expect(new Set(failed.map(({ status }) => status))).toEqual(new Set([502]));
  expect([...arrived].filter(([, times]) => times > 1)).toEqual([]);
  for (const { text, status } of answered) if (status === 200) expect([text, arrived.get(text)]).toEqual([text, 1]);
}, 180_000);
