import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from './wait-for.ts';

export type RecordedRequest = {
  method: string;
  /** Path with query. */
  url: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
  text: string;
  receivedAtMs: number;
};

/** Handles a recorded request; without a handler every request gets an empty 200. */
export type BackendHandler = (request: RecordedRequest, response: ServerResponse) => void | Promise<void>;

export type TestBackend = {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  url: string;
  requests: RecordedRequest[];
  /** Resolves with all requests once at least n have arrived. */
  waitForRequests(n: number, timeoutMs?: number): Promise<RecordedRequest[]>;
  stop(): Promise<void>;
};

/** A bot's program as the service sees it: an HTTP server on loopback that records its requests. */
export async function startBackend(handler?: BackendHandler): Promise<TestBackend> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const body = await readAll(incoming).catch(() => null);
    if (body === null) return;
    const request = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body,
      text: body.toString('utf8'),
      receivedAtMs: Date.now(),
    };
    requests.push(request);
    if (handler) await handler(request, response);
    else response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    waitForRequests: (n, timeoutMs = 10_000) =>
      waitFor(() => requests.length >= n && requests, {
        timeoutMs,
        message: `${n} requests at the backend`,
      }) as Promise<RecordedRequest[]>,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
