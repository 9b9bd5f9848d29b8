import { type AgentOptions, type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import type { OnReadOpts, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ProxyTarget } from '@flotilla/runtime/proxy-url.ts';
import { buildConnector } from 'undici';
import { openTunnel } from './proxy-tunnel.ts';

type Created = (error: Error | null, stream?: Duplex) => void;

type Written = (error?: Error | null) => void;

const RESET = new Set(['EPIPE', 'ECONNRESET']);
const KEPT_ALIVE: AgentOptions = { keepAlive: true };

/** A name, a port or a handshake that takes longer does not come any more. */
const CONNECT_MS = 10_000;
/** The connections over which a request can have gone out. */
const established = new WeakSet<Socket>();

/** False if a request that was given this connection has surely not gone out. */
export function isEstablished(socket: Socket | null): boolean {
  return socket !== null && established.has(socket);
}

/** Gives a connection up that is not established in time. `event`: with which it is; null: it is already. */
function watched(socket: Socket, event: 'connect' | 'secureConnect' | null): Socket {
  if (event === null) {
    established.add(socket);
    return socket;
  }
  const error = Object.assign(new Error(`no connection within ${CONNECT_MS / 1000} s`), { code: 'ETIMEDOUT' });
  const deadline = setTimeout(() => socket.destroy(error), CONNECT_MS).unref();
  socket.once('close', () => clearTimeout(deadline));
  return socket.once(event, () => {
    clearTimeout(deadline);
    established.add(socket);
  });
}

/** Agents for got. `proxy`: the way to the platform; null: straight. `readBytes`: the most that is read at once; absent: as Node does. */
export function platformAgents(proxy: ProxyTarget | null, readBytes?: number): { http: HttpAgent; https: HttpsAgent } {
  const options = { ...KEPT_ALIVE, ...(readBytes === undefined ? {} : smallReads(readBytes)) };
  return { http: new PlainAgent(proxy, options), https: new TlsAgent(proxy, options) };
}

/** Options of connections that read so much at once, and no more until it is used. Node itself reads 64 KB, and the next 64 KB meanwhile. */
function smallReads(bytes: number): { highWaterMark: number; onread: OnReadOpts } {
  return {
    highWaterMark: 1,
    onread: {
      buffer: Buffer.allocUnsafeSlow(bytes),
      // The connection is `this`. The bytes are copied, since the next read, of any connection, uses the same buffer.
      callback(this: Socket, count: number, buffer: Uint8Array) {
        return this.push(Buffer.from(buffer.subarray(0, count)));
      },
    },
  };
}

class PlainAgent extends HttpAgent {
  readonly #proxy: ProxyTarget | null;

  constructor(proxy: ProxyTarget | null, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(options: ClientRequestArgs, created: Created): Duplex | undefined {
    if (this.#proxy === null) return readAfterReset(watched(super.createConnection(options) as Socket, 'connect'));
    openTunnel(this.#proxy, destinationOf(options)).then(
      (socket) => created(null, readAfterReset(watched(socket, null))),
      created,
    );
    return undefined;
  }
}

class TlsAgent extends HttpsAgent {
  readonly #proxy: ProxyTarget | null;

  constructor(proxy: ProxyTarget | null, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(options: RequestOptions, created: Created): Duplex | undefined {
    if (this.#proxy === null) return this.#secure(options);
    openTunnel(this.#proxy, destinationOf(options))
      .then((socket) => this.#secure({ ...options, socket } as RequestOptions))
      .then((socket) => created(null, socket), created);
    return undefined;
  }

  #secure(options: RequestOptions): Socket {
    return readAfterReset(watched(super.createConnection(options) as Socket, 'secureConnect'));
  }
}

function destinationOf({ host, port }: ClientRequestArgs): { host: string; port: number } {
  return { host: host ?? '', port: Number(port) };
}

/** Connects undici to the platform. The options are those of undici's own connector; `proxy`: null is straight. */
export function platformConnect(
  proxy: ProxyTarget | null,
  options: buildConnector.BuildOptions = {},
): buildConnector.connector {
  const connect = buildConnector(options);
  return (to, callback) => {
    const done: buildConnector.Callback = (...[error, socket]) =>
      error === null ? callback(null, readAfterReset(socket)) : callback(error, null);
    if (proxy === null) return void connect(to, done);
    const isTls = to.protocol === 'https:';
    const port = to.port === '' ? (isTls ? 443 : 80) : Number(to.port);
    openTunnel(proxy, { host: to.hostname, port }).then(
      (socket) => (isTls ? connect({ ...to, httpSocket: socket }, done) : done(null, socket)),
      (error: Error) => callback(error, null),
    );
  };
}

/**
 * A server that answers an upload early and closes resets the connection. Node then gives up at the next write, before it
 * has read the answer. Such a write never ends here; the reading brings the answer and then the end of the connection.
 */
function readAfterReset<S extends Socket>(socket: S): S {
  const { _write, _writev } = socket;
  const unlessReset = (callback: Written) => (error?: Error | null) => {
    if (!RESET.has(String((error as { code?: string } | null | undefined)?.code))) callback(error);
  };
  socket._write = (chunk, encoding, callback) => _write.call(socket, chunk, encoding, unlessReset(callback));
  if (_writev) socket._writev = (chunks, callback) => _writev.call(socket, chunks, unlessReset(callback));
  return socket;
}
