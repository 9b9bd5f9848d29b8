import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type PlatformCall = { url: URL; body: string; type: string };

export type GrantingPlatform = {
  url: string;
  /** The calls with the header X-Test: Flotilla makes others by itself. */
  calls: PlatformCall[];
  stop(): Promise<void>;
};

/** A platform that grants every call. */
export async function startGrantingPlatform(): Promise<GrantingPlatform> {
  const calls: PlatformCall[] = [];
  // A busy machine may pause for so long that a connection is closed at the moment of the next call; such a call fails.
  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const url = new URL(req.url ?? '', 'http://platform');
      const [body, type] = [Buffer.concat(chunks).toString(), req.headers['content-type'] ?? ''];
      if (req.headers['x-test'] !== undefined) calls.push({ url, body, type });
      const id = Number(/\/bot(\d+)/.exec(url.pathname)?.[1]);
      res.end(JSON.stringify({ ok: true, result: { id, is_bot: true, first_name: 'Bot', username: 'a_bot' } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
