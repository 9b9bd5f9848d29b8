import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { type PollingClient, pollingClient } from './polling-client.ts';

const TOKEN = '700001:secret-of-this-bot';
const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

/** A platform that sends these bytes on every connection, or nothing. */
async function platform(answer: string | null): Promise<PollingClient> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      if (answer !== null) socket.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = pollingClient({ apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
  stops.push(() => client.close().then(() => server.close()));
  return client;
}
const never = new AbortController().signal;
const ask = (client: PollingClient, timeoutMs = 5000, signal = never) =>
  client.getUpdates(TOKEN, { timeout: 0 }, { timeoutMs, signal });

test('a platform that hangs is given up at the deadline, and says so', async () => {
  expect(await ask(await platform(null), 200)).toEqual({
    outcome: 'unreachable',
    reason: 'no answer in time',
    timedOut: true,
  });
});

test('a poll that is aborted ends at once', async () => {
  const abort = new AbortController();
  const asked = ask(await platform(null), 60_000, abort.signal);
  abort.abort();
  expect(await asked).toMatchObject({ outcome: 'unreachable', reason: 'aborted' });
});

test('what is no HTTP is garbage, and what is no Bot API answer too; no reason carries the token', async () => {
  const noHttp = await ask(await platform('what is this?\r\n\r\n'));
  const noAnswer = await ask(await platform('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>'));
  expect([noHttp.outcome, noAnswer.outcome]).toEqual(['garbage', 'garbage']);
  expect(JSON.stringify([noHttp, noAnswer])).not.toContain('secret-of-this-bot');
});
