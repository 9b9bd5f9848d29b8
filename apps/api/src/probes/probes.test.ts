import { isDeepStrictEqual } from 'node:util';
import { quarantineBefore } from '@flotilla/domain/fleet/installation/quarantine.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import type { Context } from '../context.ts';
import { readReadiness } from './probes.ts';

const api = testApi();

test('both ports answer the probes, and the metrics name each operation', async () => {
  const onApi = restClient(api.url);
  const onMetrics = restClient(`http://127.0.0.1:${api.metricsPort}`);
  for (const http of [onApi, onMetrics]) {
    expect((await http('GET', '/livez')).status).toBe(200);
    expect((await http('GET', '/readyz')).json).toEqual({ ready: true, reasons: [], warnings: [] });
  }
  await onApi('GET', '/api/bots');
  await waitFor(async () => {
    const { text } = await onMetrics('GET', '/metrics');
    return text.includes('flotilla_rest_request_seconds_count{operation="listBots",status="4xx"} 1');
  });
});

test('an api whose Redis is away goes on taking requests: both ports answer ready, with a warning', async () => {
  const ports = [restClient(api.url), restClient(`http://127.0.0.1:${api.metricsPort}`)];
  const readiness = () => Promise.all(ports.map(async (http) => http('GET', '/readyz')));
  const saysAll = async (warnings: string[]) => {
    const expected = { status: 200, json: { ready: true, reasons: [], warnings } };
    return (await readiness()).every(({ status, json }) => isDeepStrictEqual({ status, json }, expected));
  };
  api.redis.kill();
  await waitFor(() => saysAll(['Redis does not answer']));
  expect((await ports[0]!('GET', '/livez')).status).toBe(200);
  expect((await ports[1]!('GET', '/metrics')).text).toMatch(/^flotilla_ready 1$/m);
  await api.redis.restart();
  await waitFor(() => saysAll([]), { timeoutMs: 15_000 });
}, 40_000);

test('an api that cannot know yet whose Redis it has is unready until it has read its bots', async () => {
  const found = await readReadiness({
    ...{ directory: { ready: () => false }, memory: { warnings: () => [] }, readinessWarnings: async () => [] },
    installation: { quarantine: () => quarantineBefore(undefined) },
    leaving: new AbortController().signal,
    startup: { knewBots: false, waitsForPostgres: false, madeAdmin: false },
  } as unknown as Context);
  expect(found).toMatchObject({ ready: false, reasons: ['the list of bots has not been read'] });
});
