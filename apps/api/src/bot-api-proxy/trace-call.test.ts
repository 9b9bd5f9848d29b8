import { type RawServer, rawExchange, startRawServer } from '@flotilla/testing/raw-http.ts';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { startTraceCollector, type TraceCollector } from '@flotilla/testing/trace-collector.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const STRANGER = '4242:AAstrangerstrangerstrangerstrangerx';
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

let upstream: RawServer;
let collector: TraceCollector;
let api: TestApi;
const requests: string[] = [];

beforeAll(async () => {
  collector = await startTraceCollector();
  upstream = await startRawServer((connection) => {
    requests.push(connection.received());
    connection.clear();
    connection.send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
  });
  api = await startTestApi({ TELEGRAM_API_URL: upstream.url, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
}, 60_000);
afterAll(async () => {
  await api?.stop();
  await upstream?.stop();
  await collector?.stop();
}, 60_000);

const call = async (method: string, headers: string[]): Promise<string> => {
  const head = [`GET /tgapi/bot${STRANGER}/${method} HTTP/1.1`, 'Host: a', ...headers, 'Connection: close'];
  await rawExchange(api.port, `${head.join('\r\n')}\r\n\r\n`);
  return requests.at(-1) ?? '';
};

test('a program that traces finds its call in its own trace, and the platform gets its headers as they came', async () => {
  const headers = [`TraceParent: 00-${TRACE_ID}-00f067aa0ba902b7-01`, 'Tracestate: congo=t61rcWkgMzE'];
  const seen = await call('getMe', headers);
  for (const header of headers) expect(seen).toContain(`\r\n${header}\r\n`);
  expect(await collector.span('bot api getme', ({ traceId }) => traceId === TRACE_ID)).toMatchObject({
    parentSpanId: '00f067aa0ba902b7',
  });
});

test('what a program left out of tracing is left out, and nothing is added to a call without a trace', async () => {
  await call('getChat', [`traceparent: 00-${TRACE_ID}-00f067aa0ba902b7-00`]);
  expect(await call('close_something', [])).not.toMatch(/traceparent/i);
  expect(await call('getFile', [])).not.toMatch(/traceparent/i);
  await collector.span('bot api getfile');
  await collector.span('bot api other');
  expect(collector.spans().filter(({ name }) => name === 'bot api getchat')).toEqual([]);
});
