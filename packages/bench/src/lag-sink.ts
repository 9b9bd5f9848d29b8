import { type AddressInfo, createServer, type Socket } from 'node:net';

export type LagSink = {
  port: number;
  url: string;
  count(): number;
  /** Milliseconds from the making of an update to its arrival, for one path or for all. */
  lags(path?: string): number[];
  /** When the newest update was made, and when the last one arrived (ms of the clock). */
  ends(): { madeAtMs: number; arrivedAtMs: number };
  reset(): void;
  /** Requests of this path are neither answered nor counted from now on; null ends that. */
  hang(path: string | null): void;
  stop(): Promise<void>;
};

const EMPTY_ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/**
 * A backend on all loopback addresses, which reads the making time from an update's text. It shares the processor with what
 * is measured, so it is cheaper than one of `node:http`: it knows no HTTP but a POST with a Content-Length.
 */
export async function startLagSink(): Promise<LagSink> {
  let arrived: { path: string; madeAtMs: number; atMs: number }[] = [];
  let hanging: string | null = null;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    readPosts(socket, (path, body) => {
      if (path === hanging) return;
      arrived.push({ path, madeAtMs: Number(/@(\d{13})"/.exec(body)?.[1]), atMs: Date.now() });
      socket.write(EMPTY_ANSWER, 'latin1');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    count: () => arrived.length,
    lags: (path) =>
      arrived.filter((one) => path === undefined || one.path === path).map(({ madeAtMs, atMs }) => atMs - madeAtMs),
    ends: () => ({
      madeAtMs: arrived.reduce((newest, { madeAtMs }) => Math.max(newest, madeAtMs), 0),
      arrivedAtMs: arrived.at(-1)?.atMs ?? 0,
    }),
    reset: () => {
      arrived = [];
    },
    hang: (path) => {
      hanging = path;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function readPosts(socket: Socket, take: (path: string, body: string) => void): void {
  let unread = '';
  socket.on('data', (bytes) => {
    unread += bytes.toString('latin1');
    while (true) {
      const headEnd = unread.indexOf('\r\n\r\n');
      if (headEnd === -1) return;
      const length = /^POST (\S+) [\s\S]*?\r\ncontent-length: (\d+)\r\n/i.exec(unread.slice(0, headEnd + 2));
      if (length === null) throw new Error('the sink takes only a POST with a Content-Length');
      const bodyAt = headEnd + 4;
      const end = bodyAt + Number(length[2]);
      if (unread.length < end) return;
      take(length[1]!, unread.slice(bodyAt, end));
      unread = unread.slice(end);
    }
  });
}
