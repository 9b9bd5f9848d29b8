import { gzipSync } from 'node:zlib';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { allowOnly } from '@flotilla/testing/allow-only.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type BackendConnections, backendConnections } from './backend-connections.ts';
import { checkBackendHealth } from './check-backend-health.ts';

const never = new AbortController().signal;
let backend: TestBackend;
let backends: BackendConnections;

beforeEach(() => {
  backends = backendConnections(allowOnly(['127.0.0.0/8']));
});
afterEach(async () => {
  await backends.close();
  await backend.stop();
});
const check = (url = backend.url) => checkBackendHealth({ backends }, aBot({ backend_url: `${url}/` }), never);

test('judges by the status, of a POST-only webhook as well', async () => {
  const statuses = [200, 302, 405, 404, 500];
  const asked = [...statuses];
  backend = await startBackend((_request, response) => {
    response.statusCode = asked.shift() ?? 0;
    response.end();
  });
  for (const statusCode of statuses) {
    const healthy = statusCode < 400 || statusCode === 405;
    expect(await check()).toMatchObject({ healthy, status_code: statusCode });
  }
});

test('reads no more than the head of an answer that does not end', async () => {
  let sent = 0;
  let closed = false;
  const piece = Buffer.alloc(64 * 1024, 'x');
  backend = await startBackend((_request, response) => {
    response.on('close', () => {
      closed = true;
    });
    const more = () => {
      while (!closed && response.write(piece)) sent += piece.length;
      response.once('drain', more);
    };
    more();
  });
  expect(await check()).toMatchObject({ healthy: true, status_code: 200 });
  // What the sockets take before they are closed, and far less than comes in the seconds of a check.
  expect(sent).toBeLessThan(64 * 1024 * 1024);
});

test('unpacks nothing', async () => {
  backend = await startBackend((_request, response) => {
    response.setHeader('content-encoding', 'gzip');
    response.end(gzipSync('x').fill(0, 4));
  });
  expect(await check()).toMatchObject({ healthy: true, status_code: 200 });
});

test('says why there was no answer', async () => {
  backend = await startBackend();
  const { url } = backend;
  expect(await check(url.replace('http', 'https'))).toMatchObject({
    ...{ healthy: false, status_code: 0 },
    error: 'The backend answers plain http, not TLS: is its URL http:// ?',
  });
  expect(await check('http://169.254.169.254')).toMatchObject({ error: expect.stringContaining('never allowed') });
});
