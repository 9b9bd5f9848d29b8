import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpRelay {
  port: number;
  /** Ends every connection and refuses new ones, as a stopped service does. */
  cut(): Promise<void>;
  /** Keeps every connection open but forwards nothing, as a hanging service does. */
  hang(): void;
  /** Passes such requests on, and breaks their connection in place of the answer, until it is restored. */
  loseAnswers(to: RegExp): void;
  /** Sends bytes that break the protocol on every connection and forwards on, as a broken network device does. */
  garble(): void;
  /** Resets every connection with an RST, as a firewall that lost its state does; accepts new ones at once. */
  reset(): void;
  /** Ends hanging connections and forwards again. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A relay between a client and a service on loopback; it takes the service away from that client only. The port may be
 * a function, because a restarted service may have another port.
 */
export async function startTcpRelay(targetPort: number | (() => number)): Promise<TcpRelay> {
  /** Each client socket with its connection to the service. */
  const clients = new Map<Socket, Socket>();
  let hanging = false;
  let loses: RegExp | null = null;
  const server = createServer((client) => {
    const service = connect(typeof targetPort === 'number' ? targetPort : targetPort(), '127.0.0.1');
    clients.set(client, service);
    let isLost = false;
    client.on('close', () => clients.delete(client));
    for (const [from, to] of [
      [client, service],
      [service, client],
    ] as const) {
      from.on('data', (bytes: Buffer) => {
        if (from === client) isLost ||= loses?.test(bytes.toString('latin1')) ?? false;
        else if (isLost) client.destroy();
        if (!hanging && !client.destroyed) to.write(bytes);
      });
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
    loseAnswers: (to) => {
      loses = to;
    },
    garble: () => {
      for (const client of clients.keys()) client.write('garbled');
    },
    reset: () => {
      for (const pair of clients) for (const socket of pair) socket.resetAndDestroy();
    },
    restore: async () => {
      hanging = false;
      loses = null;
      endAll();
      if (!server.listening) await listen(port);
    },
    stop: cut,
  };
}
