import { gzipSync } from 'node:zlib';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { afterEach, expect, test } from '@jest/globals';
import { allowOnly } from '../backend-policy/backend-policy.ts';
import { checkBackendHealth } from './check-backend-health.ts';

let backend: TestBackend;
afterEach(() => backend.stop());
const check = () =>
  checkBackendHealth({ backendPolicy: allowOnly(['127.0.0.0/8']) }, aBot({ backendUrl: `${backend.url}/` }));

test('judges by the status, of a POST-only webhook as well', async () => {
  const statuses = [200, 302, 405, 404, 500];
  const asked = [...statuses];
  backend = await startBackend((_request, response) => {
    response.statusCode = asked.shift() ?? 0;
    response.end();
  });
  for (const statusCode of statuses) {
    const healthy = statusCode < 400 || statusCode === 405;
    expect(await check()).toMatchObject({ healthy, statusCode });
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
  expect(await check()).toMatchObject({ healthy: true, statusCode: 200 });
  // What the sockets take before they are closed, and far less than comes in the seconds of a check.
  expect(sent).toBeLessThan(64 * 1024 * 1024);
});

test('unpacks nothing', async () => {
  backend = await startBackend((_request, response) => {
    response.setHeader('content-encoding', 'gzip');
    response.end(gzipSync('x').fill(0, 4));
  });
  expect(await check()).toMatchObject({ healthy: true, statusCode: 200 });
});
