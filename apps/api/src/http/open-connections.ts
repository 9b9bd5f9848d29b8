import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A connection of a server with its newest request and the response to it; null before the first. */
export type OpenConnection = {
  readonly socket: Socket;
  request: IncomingMessage | null;
  response: ServerResponse | null;
  /** The start of that request, or of the connection. */
  beganAtMs: number;
  /** The bytes received before that request. */
  beganBytes: number;
  /** The oldest first; some of them may have been answered since the newest began. */
  unanswered: ServerResponse[];
};

export type OpenConnections = {
  /** Notes a request, and returns the responses of its connection that are not sent, the oldest first. */
  begin(request: IncomingMessage, response: ServerResponse): readonly ServerResponse[];
  all(): Iterable<OpenConnection>;
};

/**
 * Knows the open connections of a server. Whatever watches connections shares this table, because 20,000 requests a second
 * are noted in it. It has no set of responses: outgrown tables of a set would keep responses alive until a full collection.
 */
export function openConnections(server: Server): OpenConnections {
  const open = new Map<Socket, OpenConnection>();
  const forget = function (this: Socket) {
    open.delete(this);
  };
  server.on('connection', (socket: Socket) => {
    const beganAtMs = performance.now();
    open.set(socket, { socket, request: null, response: null, beganAtMs, beganBytes: 0, unanswered: [] });
    socket.on('close', forget);
  });
  return {
    begin: (request, response) => {
      const connection = open.get(request.socket);
      if (connection === undefined) return [response];
      connection.request = request;
      connection.response = response;
      connection.beganAtMs = performance.now();
      connection.beganBytes = connection.socket.bytesRead;
      const { unanswered } = connection;
      while (unanswered[0]?.writableFinished) unanswered.shift();
      unanswered.push(response);
      return unanswered;
    },
    all: () => open.values(),
  };
}
