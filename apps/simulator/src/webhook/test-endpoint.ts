import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Delivered = { headers: IncomingHttpHeaders; body: string; atMs: number };
export type EndpointAnswer = { status?: number; headers?: Record<string, string>; body?: string; afterMs?: number };

/** A webhook endpoint for tests: records requests and replies as `answer` says. */
export async function startEndpoint(answer: (delivered: Delivered, number: number) => EndpointAnswer = () => ({})) {
  const delivered: Delivered[] = [];
  const server = createServer((req, res) => {
    let body = '';
    req.setEncoding('utf8');
    req.on('data', (chunk: string) => {
      body += chunk;
    });
    req.on('end', () => {
      const one = { headers: req.headers, body, atMs: performance.now() };
      delivered.push(one);
      const { status = 200, headers = {}, body: text = '', afterMs = 0 } = answer(one, delivered.length);
      setTimeout(() => res.writeHead(status, headers).end(text), afterMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const untilDelivered = async (count: number): Promise<Delivered[]> => {
    const deadlineMs = Date.now() + 15_000;
    while (delivered.length < count && Date.now() < deadlineMs) await new Promise((resolve) => setTimeout(resolve, 5));
    if (delivered.length < count) throw new Error(`${delivered.length} of ${count} deliveries came`);
    return delivered;
  };
  return { url: `http://127.0.0.1:${port}/hook`, delivered, untilDelivered, stop };
}
