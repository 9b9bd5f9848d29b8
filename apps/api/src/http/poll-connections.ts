import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { HEAD_WITHIN_MS, UNREAD_MS } from './cut-slow-clients.ts';
import { HttpStream, type SuspendedRequest } from './http-stream.ts';

/** The connections of a server that began with a poll, and those that have not begun. */
export type PollConnections = {
  /** Must be told of each response of the server before its request is handled. */
  begin(response: ServerResponse): void;
  /** From now on the answer to a suspended request ends its connection, and no request is suspended. */
  closeAfterAnswers(): void;
  /** Ends those without a request that node:http does not know; `closeIdleConnections` of the server ends the others. */
  closeIdle(): void;
  closeAll(): void;
};

export type PollOptions = {
  /** Knows a poll by the beginning of its head, up to 512 characters. */
  isPoll(start: string): boolean;
  /** The time that an idle connection may last, and the one that clients are told. */
  keepAliveMs: number;
  /** Called when a connection has begun with a poll: its limits are no longer those of a connection of node:http. */
  found(socket: Socket): void;
};

const START_LENGTH = 512;
/** A client that sends more than this before its answer is read on only after that. One read brings up to 64 KB. */
const AHEAD_BYTES = 65_536;
/** A piece of one byte takes hundreds in memory. */
const AHEAD_PIECES = 16;

/**
 * Lets requests be suspended on connections that begin with a poll (ADR 40). Ten thousand polls wait in a process, and
 * each would hold a parser of node:http (7 KB) as long as its connection is open. So node:http does not get such a socket
 * but a stream, which ends when the request is suspended; until then all bytes go through it.
 */
export function pollConnections(server: Server, options: PollOptions): PollConnections {
  const [toHttp] = server.listeners('connection') as [(this: Server, stream: Duplex) => void];
  server.removeListener('connection', toHttp);
  const connections = new Map<Socket, PollConnection>();
  const listeners = listenersOf(connections);
  const shared: Shared = { server, keepAliveMs: options.keepAliveMs, closing: false, connections, listeners };
  const silent = new Set<Socket>();
  server.on('connection', (stream: Duplex) => {
    if (!(stream instanceof Socket)) {
      toHttp.call(server, stream);
      return;
    }
    afterFirstBytes(silent, stream, (bytes) => {
      if (options.isPoll(bytes.toString('latin1', 0, START_LENGTH))) {
        options.found(stream);
        new PollConnection(stream, shared).serve(bytes);
        return;
      }
      stream.unshift(bytes);
      toHttp.call(server, stream);
    });
  });
  return {
    begin: (response) => {
      const { socket } = response;
      if (socket instanceof HttpStream) socket.began(response);
    },
    closeAfterAnswers: () => {
      shared.closing = true;
    },
    closeIdle: () => {
      for (const socket of silent) socket.destroy();
      for (const connection of connections.values()) connection.closeIfIdle();
    },
    closeAll: () => {
      for (const socket of [...silent, ...connections.keys()]) socket.destroy();
    },
  };
}

/** Null if the connection did not begin with a poll, or has more to do than this request. */
export function suspendRequest(response: ServerResponse): SuspendedRequest | null {
  const { socket } = response;
  return socket instanceof HttpStream ? socket.suspend(response) : null;
}

type Shared = {
  server: Server;
  keepAliveMs: number;
  closing: boolean;
  connections: Map<Socket, PollConnection>;
  listeners: Listeners;
};

type Listeners = {
  data(this: Socket, bytes: Buffer): void;
  end(this: Socket): void;
  close(this: Socket): void;
  timeout(this: Socket): void;
};

/** The same functions for all sockets, because there are many. */
function listenersOf(connections: ReadonlyMap<Socket, PollConnection>): Listeners {
  return {
    data(bytes) {
      connections.get(this)?.serve(bytes);
    },
    end() {
      connections.get(this)?.ended();
    },
    close() {
      connections.get(this)?.closed();
    },
    timeout() {
      connections.get(this)?.timedOut();
    },
  };
}

/** Until its first bytes come, the socket is among the silent ones. */
function afterFirstBytes(silent: Set<Socket>, socket: Socket, next: (bytes: Buffer) => void): void {
  const end = () => socket.destroy();
  const forget = () => silent.delete(socket);
  silent.add(socket);
  socket.on('error', ignore).once('end', end).once('close', forget);
  socket.once('data', (bytes) => {
    socket.off('end', end).off('close', forget).pause();
    forget();
    next(bytes);
    socket.resume();
  });
}

/** The close that follows says all that has to be done. */
function ignore(): void {}

/** The socket of a poll's client: at any moment it has a stream of node:http, or a suspended request, or neither. */
class PollConnection implements SuspendedRequest {
  readonly #socket: Socket;
  readonly #shared: Shared;
  #stream: HttpStream | null = null;
  #response: ServerResponse | null = null;
  #isSuspended = false;
  #gone: (() => void) | null = null;
  /** What the client sent while its request was suspended or being answered: the beginning of its next one. */
  #ahead: Buffer[] = [];
  #hasEnded = false;

  constructor(socket: Socket, shared: Shared) {
    this.#socket = socket;
    this.#shared = shared;
    shared.connections.set(socket, this);
    const { data, end, close, timeout } = shared.listeners;
    socket.on('data', data).on('end', end).on('close', close).on('timeout', timeout);
  }

  serve(bytes: Buffer): void {
    if (this.#isBusy()) {
      this.#readAhead(bytes);
      return;
    }
    if (this.#stream === null) {
      // From now on node:http and the limits of its connections say how long it may be silent.
      this.#socket.setTimeout(0);
      this.#stream = new HttpStream(this, this.#socket);
      // As node:http says, a stream of one's own may be injected by this event.
      this.#shared.server.emit('connection', this.#stream);
    }
    if (!this.#stream.receive(bytes)) this.#socket.pause();
  }

  ended(): void {
    this.#hasEnded = true;
    if (this.#stream !== null) this.#stream.push(null);
    else if (this.#isSuspended) this.#socket.destroy();
    else if (this.#response === null) this.#socket.end();
  }

  closed(): void {
    this.#shared.connections.delete(this.#socket);
    this.#stream?.destroy();
    if (this.#isSuspended) this.#gone?.();
  }

  timedOut(): void {
    if (this.#stream === null) this.#socket.destroy();
    else this.#stream.emit('timeout');
  }

  closeIfIdle(): void {
    if (this.#stream === null && !this.#isBusy()) this.#socket.destroy();
  }

  suspend(): SuspendedRequest | null {
    if (this.#shared.closing || this.#hasEnded || this.#socket.destroyed) return null;
    this.#stream = null;
    this.#isSuspended = true;
    this.#socket.setTimeout(0);
    this.#socket.resume();
    return this;
  }

  onGone(listener: () => void): void {
    this.#gone = listener;
    if (this.#socket.destroyed) listener();
  }

  resume(): ServerResponse {
    this.#isSuspended = false;
    this.#gone = null;
    const { closing, keepAliveMs } = this.#shared;
    const request = new IncomingMessage(this.#socket);
    [request.httpVersionMajor, request.httpVersionMinor] = [1, 1];
    const response = new ServerResponse(request);
    if (this.#socket.destroyed) return response.destroy();
    if (closing) response.setHeader('Connection', 'close');
    else response.setHeader('Keep-Alive', `timeout=${Math.floor(keepAliveMs / 1000)}`);
    this.#response = response;
    this.#socket.setTimeout(UNREAD_MS);
    response.assignSocket(this.#socket);
    return response.once('finish', () => {
      response.detachSocket(this.#socket);
      this.#answered(closing);
    });
  }

  #isBusy(): boolean {
    return this.#isSuspended || this.#response !== null;
  }

  /** Reads on for as long as it can, because the client's departure is seen only after all that it has sent. */
  #readAhead(bytes: Buffer): void {
    this.#ahead.push(bytes);
    if (this.#ahead.length >= AHEAD_PIECES || lengthOf(this.#ahead) >= AHEAD_BYTES) this.#socket.pause();
  }

  #answered(isLast: boolean): void {
    this.#response = null;
    if (this.#socket.destroyed) return;
    if (isLast || this.#hasEnded) {
      this.#socket.destroySoon();
      return;
    }
    this.#socket.setTimeout(this.#shared.keepAliveMs + HEAD_WITHIN_MS);
    const ahead = this.#ahead;
    this.#ahead = [];
    this.#socket.resume();
    if (ahead.length > 0) this.serve(Buffer.concat(ahead));
  }
}

function lengthOf(pieces: Buffer[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}
