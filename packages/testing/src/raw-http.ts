import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { waitFor } from './wait-for.ts';

/** A connection that writes and reads raw bytes; text is latin1, so that no byte changes. */
export type RawConnection = {
  socket: Socket;
  received(): string;
  /** Discards what was received so far. */
  clear(): void;
  closed(): boolean;
  send(bytes: string | Buffer): void;
  /** Resolves with the received text once it matches. */
  waitFor(pattern: RegExp): Promise<string>;
  waitForClose(): Promise<string>;
  end(): void;
};

/** Opens a TCP connection for raw HTTP, optionally from another loopback address. */
export async function rawConnection(port: number, from: { localAddress?: string } = {}): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, ...from });
  const connection = recorded(socket);
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return connection;
}

/** Sends one request on a new connection and reads until the server closes it. Send `Connection: close`. */
export async function rawExchange(port: number, request: string | Buffer): Promise<string> {
  const connection = await rawConnection(port);
  connection.send(request);
  return connection.waitForClose();
}

export type RawServer = {
  port: number;
  url: string;
  /** All accepted connections, oldest first. */
  connections: RawConnection[];
  stop(): Promise<void>;
};

/** A server whose `onData` writes the responses; called with every chunk of a connection. */
export async function startRawServer(onData: (connection: RawConnection, chunk: Buffer) => void): Promise<RawServer> {
  const connections: RawConnection[] = [];
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = recorded(socket);
    connections.push(connection);
    socket.on('data', (chunk) => onData(connection, chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    connections,
    stop: async () => {
      for (const { socket } of connections) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function recorded(socket: Socket): RawConnection {
  let chunks: Buffer[] = [];
  let isClosed = false;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
  });
  const received = (): string => Buffer.concat(chunks).toString('latin1');
  return {
    socket,
    received,
    clear: () => {
      chunks = [];
    },
    closed: () => isClosed,
    send: (bytes) => {
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    },
    waitFor: (pattern) =>
      waitFor(() => pattern.test(received()) && received(), { message: `${pattern}` }) as Promise<string>,
    waitForClose: async () => {
      await waitFor(() => isClosed, { message: 'the connection to close' });
      return received();
    },
    end: () => socket.destroy(),
  };
}
