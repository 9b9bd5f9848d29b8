import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A load balancer that gives each connection to the next target and skips targets that refuse it. */
export type Balancer = { url: string; port: number; stop(): Promise<void> };

export async function startBalancer(ports: () => number[]): Promise<Balancer> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    keep(open, client);
    const targets = ports();
    turn += 1;
    join(
      open,
      client,
      targets.map((_, at) => targets[(turn + at) % targets.length]!),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function join(open: Set<Socket>, client: Socket, [port, ...others]: number[]): void {
  if (port === undefined) {
    client.destroy();
    return;
  }
  const target = connect(port, '127.0.0.1');
  keep(open, target);
  target.once('connect', () => {
    client.pipe(target).pipe(client);
    target.once('close', () => client.destroy());
    client.once('close', () => target.destroy());
  });
  target.once('error', () => {
    if (target.bytesRead === 0 && target.bytesWritten === 0) join(open, client, others);
    else client.destroy();
  });
}

function keep(open: Set<Socket>, socket: Socket): void {
  open.add(socket);
  socket.once('close', () => open.delete(socket));
  socket.on('error', () => {});
}
