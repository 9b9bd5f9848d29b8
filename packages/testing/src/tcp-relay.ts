import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpRelay {
  port: number;
  /** Ends every connection and refuses new ones, as a service that is down does. */
  cut(): Promise<void>;
  /** Keeps every connection and passes nothing on, as a service that hangs does. */
  hang(): void;
  /** Says on every connection what no service says, and goes on, as a broken box on the way does. */
  garble(): void;
  /** Breaks every connection off with an RST, as a firewall that forgets them does; new ones are taken at once. */
  reset(): void;
  /** Ends what hung and works again. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Stands between a client and a service on loopback, to take the service away from that client alone. The port may be a
 * function: a service that is started anew may have another one.
 */
export async function startTcpRelay(targetPort: number | (() => number)): Promise<TcpRelay> {
  /** Each with its connection to the service. */
  const clients = new Map<Socket, Socket>();
  let hanging = false;
  const server = createServer((client) => {
    const service = connect(typeof targetPort === 'number' ? targetPort : targetPort(), '127.0.0.1');
    clients.set(client, service);
    client.on('close', () => clients.delete(client));
    for (const [from, to] of [
      [client, service],
      [service, client],
    ] as const) {
      from.on('data', (bytes) => hanging || to.write(bytes));
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const endAll = () => {
    for (const client of clients.keys()) client.destroy();
  };
  const cut = async () => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    endAll();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    cut,
    hang: () => {
      hanging = true;
    },
    garble: () => {
      for (const client of clients.keys()) client.write('garbled');
    },
    reset: () => {
      for (const pair of clients) for (const socket of pair) socket.resetAndDestroy();
    },
    restore: async () => {
      hanging = false;
      endAll();
      if (!server.listening) await listen(port);
    },
    stop: cut,
  };
}
