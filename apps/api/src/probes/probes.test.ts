import { restClient } from '@flotilla/testing/rest-client.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { expect, test } from '@jest/globals';

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

test('readiness says so when Redis is away, and recovers by itself', async () => {
  const http = restClient(api.url);
  const ready = async () => (await http('GET', '/readyz')).json as { ready: boolean; reasons: string[] };
  api.redis.kill();
  await waitFor(async () => (await ready()).reasons.includes('Redis does not answer'));
  expect((await http('GET', '/livez')).status).toBe(200);
  await api.redis.restart();
  await waitFor(async () => (await ready()).ready, { timeoutMs: 15_000 });
}, 40_000);
