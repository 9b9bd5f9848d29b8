import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type LagSink = {
  port: number;
  url: string;
  count(): number;
  /** Milliseconds from the making of an update to its arrival, for one path or for all. */
  lags(path?: string): number[];
  reset(): void;
  /** Requests of this path are neither answered nor counted from now on; null ends that. */
  hang(path: string | null): void;
  stop(): Promise<void>;
};

/** A backend as cheap as Node allows, on all loopback addresses. It reads the making time from an update's text. */
export async function startLagSink(): Promise<LagSink> {
  let arrived: { path: string; lag: number }[] = [];
  let hanging: string | null = null;
  const server = createServer((request, response) => {
    let body = '';
    if (request.url === hanging) {
      request.resume();
      return;
    }
    request.setEncoding('latin1');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      arrived.push({ path: request.url ?? '', lag: Date.now() - Number(/@(\d{13})"/.exec(body)?.[1]) });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    count: () => arrived.length,
    lags: (path) => arrived.filter((one) => path === undefined || one.path === path).map(({ lag }) => lag),
    reset: () => {
      arrived = [];
    },
    hang: (path) => {
      hanging = path;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
