import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import { networkOf } from './client-address.ts';
import { CountedRequest } from './counted-request.ts';
import { AHEAD_BYTES, cutSlowClients } from './cut-slow-clients.ts';
import { headBytes, LONG_HEADS_BYTES, longHeads } from './long-heads.ts';
import { type OpenConnections, openConnections } from './open-connections.ts';

/** Longer than clients and load balancers keep idle connections, so that they close first. */
const KEEP_ALIVE_MS = 75_000;
/** The longest text of a message has 37 KB as a parameter of a GET: 4,096 characters, each of them nine bytes. */
const MAX_HEADER_BYTES = 65_536;
const MAX_HEADERS = 200;
const HEADERS_DEADLINE_MS = 8000;
const CONNECTION_CHECK_MS = 1000;

export type HttpServerOptions = ConnectionLimits & {
  /** How long a connection may be idle between two requests. [75 s] */
  keepAliveMs?: number;
  /** The most bytes of all long heads: of those that come, and of those that wait for their answer. [32 MiB each] */
  longHeadsBytes?: number;
};

/** The api's HTTP server, with its limits on connections, heads and bodies. */
export function createHttpServer(
  handle: RequestListener,
  options: HttpServerOptions,
): { server: Server; connections: OpenConnections } {
  const { longHeadsBytes = LONG_HEADS_BYTES } = options;
  const heads = longHeads(longHeadsBytes);
  const server = createServer(
    {
      IncomingMessage: CountedRequest,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: options.keepAliveMs ?? KEEP_ALIVE_MS,
      headersTimeout: HEADERS_DEADLINE_MS,
      // Uploads through the proxy may take any time while they make progress.
      requestTimeout: 0,
      connectionsCheckingInterval: CONNECTION_CHECK_MS,
    },
    // One listener for all that concerns a request: each more costs every call through the proxy.
    (request, response) => {
      const unanswered = connections.begin(request, response);
      if (request.rawHeaders.length > 2 * MAX_HEADERS)
        response.writeHead(431, { 'Content-Length': '0', Connection: 'close' }).end();
      else if (unanswered.length > 2 || (unanswered.length === 2 && !isSmall(request))) request.socket.destroy();
      else if (!heads.admit(request, response))
        response.writeHead(503, { 'Content-Length': '0', 'Retry-After': '1', Connection: 'close' }).end();
      else if (unanswered.length === 1) handle(request, response);
      else unanswered[0]?.once('close', () => isItsTurn(response) && handle(request, response));
    },
  );
  // Node silently drops headers above this number; one more than the limit shows that there were too many.
  server.maxHeadersCount = MAX_HEADERS + 1;
  limitConnections(server, options);
  const connections = openConnections(server);
  cutSlowClients(server, connections, longHeadsBytes);
  return { server, connections };
}

/** True if a request may wait for its turn: nothing of it has been counted or refused. */
function isSmall(request: IncomingMessage): boolean {
  const { headers } = request;
  if (headers['transfer-encoding'] !== undefined) return false;
  return headBytes(request) + Number(headers['content-length'] ?? 0) <= AHEAD_BYTES;
}

/** False if the connection has ended, or ends with the answer before. */
function isItsTurn({ socket }: ServerResponse): boolean {
  return socket?.destroyed === false;
}

export type ConnectionLimits = {
  maxConnections: number;
  /** Per address (IPv6: per /64); 0 or absent is no limit. */
  maxPerAddress?: number;
  /** True for a load balancer, through which the connections of all clients come. */
  isTrusted?(address: string): boolean;
  log: Logger;
};

/** Closes connections above the limits at once, without an answer; logs it at most every 10 s. */
function limitConnections(server: Server, limits: ConnectionLimits): void {
  const { maxConnections, maxPerAddress = 0, isTrusted, log } = limits;
  const warn = throttledLog((what: { limit: number; address?: string }, leftOut) =>
    log.warn({ ...what, leftOut }, 'the limit of connections is reached; a new one was refused'),
  );
  server.maxConnections = maxConnections;
  server.on('drop', () => warn({ limit: maxConnections }));
  if (maxPerAddress === 0) return;
  const open = new Map<string, number>();
  const networks = new WeakMap<Socket, string>();
  // One listener for all, because each of ten thousand waiting polls would have its own.
  const closed = function (this: Socket) {
    const network = networks.get(this) ?? '';
    const left = (open.get(network) ?? 1) - 1;
    if (left === 0) open.delete(network);
    else open.set(network, left);
  };
  // Added before all other listeners, so that it runs before Node's HTTP sees the connection.
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isTrusted?.(address)) return;
    const network = networkOf(address);
    const count = open.get(network) ?? 0;
    if (count >= maxPerAddress) {
      warn({ limit: maxPerAddress, address });
      socket.destroy();
      return;
    }
    open.set(network, count + 1);
    networks.set(socket, network);
    socket.on('close', closed);
  });
}
