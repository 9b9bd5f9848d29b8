import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isSecret } from './digest.ts';
import type { Metrics } from './metrics.ts';
import { readyMetric } from './process-metrics.ts';

export type Readiness = {
  ready: boolean;
  reasons: string[];
  /** Conditions that an operator should know although requests are still served. */
  warnings?: string[];
};

export type ProbeServerOptions = {
  port: number;
  host: string;
  /** The Bearer token of a scraper that is needed to read the metrics; null: nothing. The two probes ask for no credential. */
  token: string | null;
  metrics: Metrics;
  live: () => boolean;
  ready: () => Promise<Readiness>;
};

/** Only probes and scrapers connect here, and their requests are small and quick. */
const LIMITS = {
  maxHeaderSize: 16_384,
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};
const MAX_CONNECTIONS = 200;

/**
 * Serves /livez, /readyz and /metrics on their own port (0 takes a free one). Rejects when the port is taken. A
 * readiness check that throws counts as not ready.
 */
export async function startProbeServer(
  options: ProbeServerOptions,
): Promise<{ address: string; port: number; stop(): Promise<void> }> {
  readyMetric(options.metrics, options.ready);
  const server = createServer(LIMITS, (request, response) => {
    const path = (request.url ?? '/').split('?')[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405, 'method not allowed\n');
    if (path === '/livez') return answer(response, options.live() ? 200 : 503, options.live() ? 'ok\n' : 'stopping\n');
    if (path === '/readyz') return void answerReadiness(options, response);
    if (path === '/metrics') {
      if (!isAllowed(options.token, request.headers.authorization)) return refuseScraper(response);
      return void answerMetrics(options.metrics, response);
    }
    return answer(response, 404, 'not found\n');
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, options.port, options.host);
  const { address, port } = server.address() as AddressInfo;
  return { address, port, stop: () => close(server) };
}

function isAllowed(token: string | null, given = ''): boolean {
  if (token === null) return true;
  const sent = /^bearer +(.*)$/i.exec(given)?.[1] ?? '';
  return isSecret(sent, token);
}

function refuseScraper(response: ServerResponse): void {
  response.setHeader('www-authenticate', 'Bearer');
  answer(response, 401, 'send METRICS_TOKEN as Bearer\n');
}

async function answerReadiness({ ready }: ProbeServerOptions, response: ServerResponse): Promise<void> {
  const readiness = await ready().catch(() => ({ ready: false, reasons: ['the readiness check failed'] }));
  answer(response, readiness.ready ? 200 : 503, JSON.stringify(readiness), 'application/json');
}

async function answerMetrics({ registry }: Metrics, response: ServerResponse): Promise<void> {
  const text = await registry.metrics().catch(() => null);
  if (text === null) return answer(response, 500, 'a metric could not be collected\n');
  answer(response, 200, text, registry.contentType);
}

function answer(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
