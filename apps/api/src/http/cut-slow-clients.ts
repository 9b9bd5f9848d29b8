import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { knownSender } from './known-sender.ts';
import { LONG_HEAD_BYTES } from './long-heads.ts';
import type { OpenConnection, OpenConnections } from './open-connections.ts';

/** The newest request of a connection, and the progress of its bytes. */
type Line = {
  socket: Socket;
  request: IncomingMessage | null;
  response: ServerResponse | null;
  /** The start of the request, or of the connection. */
  beganAtMs: number;
  /** The time since which we wait for the client, and the bytes received before the request. */
  clientsTurnAtMs: number;
  beganBytes: number;
  /** The body so far: its bytes, the time of the last one, and both at the start of the current minute. */
  readBytes: number;
  readAtMs: number;
  minuteBytes: number;
  minuteAtMs: number;
  /** The bytes received when the request was first seen complete. */
  completeBytes: number | null;
  /** When the answer was first seen sent, and the bytes received until then. */
  answeredAtMs: number | null;
  answeredBytes: number;
  sending: boolean;
};

const LOOK_EVERY_MS = 1000;
/** The time for the first head of a connection. After an answer it is added to the idle time. */
const HEAD_WITHIN_MS = 10_000;
/** The time for the first byte of a stranger's body, and for all of a small one. */
const FIRST_BYTES_WITHIN_MS = 8_000;
const SMALL_BODY_BYTES = 65_536;
const SMALL_BODY_WITHIN_MS = 8_000;
/** The longest gap in any other body, and the least bytes that must come in a minute. Its total time is not limited. */
const GAP_AT_MOST_MS = 30_000;
const BYTES_A_MINUTE = 16_384;
const MINUTE_MS = 60_000;
/** A body is read on after its answer, because some clients read the answer only after they have sent everything. */
const STAY_GAP_MS = 5_000;
const STAY_MS = 30_000;
/** A client that reads nothing of an answer for this time is cut off, at the latest after twice this time. */
const UNREAD_MS = 15_000;
/** A client may send one request before the answer to the last one: its head and a body, and no more than this. */
export const AHEAD_BYTES = 16_384;

/**
 * Ends connections whose client does not send its request or read its answer, so that nobody can hold many. It measures
 * progress, not total time, because uploads may be long. Heads have `headersTimeout`; our own delays do not count. Of the long
 * heads that have not come whole, no more than `longHeadsBytes` are kept.
 */
export function cutSlowClients(server: Server, connections: OpenConnections, longHeadsBytes: number): void {
  const restsAtMostMs = server.keepAliveTimeout + HEAD_WITHIN_MS;
  const lines = new WeakMap<OpenConnection, Line>();
  const lineOf = (connection: OpenConnection) => {
    const line = lines.get(connection) ?? newLine(connection);
    lines.set(connection, line);
    if (line.request !== connection.request) beginExchange(line, connection);
    return line;
  };
  const looking = setInterval(() => {
    const nowMs = performance.now();
    let headsBytes = 0;
    for (const connection of connections.all()) {
      const line = lineOf(connection);
      const isCut = restsTooLong(line, nowMs, restsAtMostMs) || isTooSlow(line, nowMs) || isTooFarAhead(line);
      const head = bytesOfHead(line);
      if (head > LONG_HEAD_BYTES) headsBytes += head;
      if (isCut || (head > LONG_HEAD_BYTES && headsBytes > longHeadsBytes)) line.socket.destroy();
      else limitSending(line);
    }
  }, LOOK_EVERY_MS);
  looking.unref();
  server.once('close', () => clearInterval(looking));
}

function newLine({ socket, beganAtMs }: OpenConnection): Line {
  return {
    socket,
    request: null,
    response: null,
    beganAtMs,
    clientsTurnAtMs: 0,
    beganBytes: 0,
    readBytes: 0,
    readAtMs: 0,
    minuteBytes: 0,
    minuteAtMs: 0,
    completeBytes: null,
    answeredAtMs: null,
    answeredBytes: 0,
    sending: false,
  };
}

function beginExchange(line: Line, { request, response, beganAtMs, beganBytes }: OpenConnection): void {
  line.request = request;
  line.response = response;
  line.beganAtMs = line.clientsTurnAtMs = line.readAtMs = line.minuteAtMs = beganAtMs;
  line.beganBytes = line.readBytes = line.minuteBytes = beganBytes;
  line.completeBytes = line.answeredAtMs = null;
}

/** Runs while no request is in flight. Node's own timeout for this ends when the client sends an empty line. */
function restsTooLong(line: Line, nowMs: number, restsAtMostMs: number): boolean {
  if (line.request === null) return nowMs - line.beganAtMs > HEAD_WITHIN_MS;
  if (!line.request.complete || !line.response?.writableFinished) return false;
  if (line.answeredAtMs === null) line.answeredBytes = line.socket.bytesRead;
  line.answeredAtMs ??= nowMs;
  return nowMs - line.answeredAtMs > restsAtMostMs;
}

/** Only the newest request counts, because a request that another one follows is complete. */
function isTooSlow(line: Line, nowMs: number): boolean {
  const { request } = line;
  if (request === null || request.complete) return false;
  noteProgress(line, request, nowMs);
  const silentMs = nowMs - line.readAtMs;
  if (line.answeredAtMs !== null) return silentMs > STAY_GAP_MS || staysTooLong(line, nowMs - line.answeredAtMs);
  const isOfStranger = knownSender(request) === null;
  if (isOfStranger && isSmall(line, request) && nowMs - line.clientsTurnAtMs > SMALL_BODY_WITHIN_MS) return true;
  const waitsForFirst = isOfStranger && line.readAtMs === line.beganAtMs;
  if (silentMs > (waitsForFirst ? FIRST_BYTES_WITHIN_MS : GAP_AT_MOST_MS)) return true;
  return nowMs - line.minuteAtMs > MINUTE_MS && isBelowRate(line, nowMs);
}

/** The part of a head that has come. */
function bytesOfHead({ request, response, socket, answeredAtMs, answeredBytes }: Line): number {
  if (request === null) return socket.bytesRead;
  const isNext = answeredAtMs !== null && request.complete && response?.writableFinished;
  return isNext ? socket.bytesRead - answeredBytes : 0;
}

/** Bytes before the answer to a complete request belong to the next one, and wait in memory for its turn. */
function isTooFarAhead(line: Line): boolean {
  if (!line.request?.complete || line.response?.writableFinished) return false;
  line.completeBytes ??= line.socket.bytesRead;
  return line.socket.bytesRead - line.completeBytes > AHEAD_BYTES;
}

function staysTooLong(line: Line, stayedMs: number): boolean {
  if (stayedMs > STAY_MS) return true;
  return stayedMs > SMALL_BODY_WITHIN_MS && line.readBytes - line.answeredBytes < SMALL_BODY_BYTES;
}

function noteProgress(line: Line, request: IncomingMessage, nowMs: number): void {
  const { bytesRead } = line.socket;
  if (line.answeredAtMs === null && line.response?.writableFinished) {
    line.answeredAtMs = line.readAtMs = nowMs;
    line.answeredBytes = bytesRead;
  }
  // Bytes that we have not read are a delay of ours or of the platform, not of the client.
  const waitsForUs = request.isPaused() || request.readableLength > 0;
  if (bytesRead > line.readBytes || waitsForUs) line.readAtMs = nowMs;
  if (waitsForUs) line.minuteAtMs = line.clientsTurnAtMs = nowMs;
  line.readBytes = bytesRead;
}

/** A body of unknown length counts as small until more bytes have come. */
function isSmall(line: Line, { headers }: IncomingMessage): boolean {
  const length = headers['content-length'] ?? line.socket.bytesRead - line.beganBytes;
  return Number(length) <= SMALL_BODY_BYTES;
}

function isBelowRate(line: Line, nowMs: number): boolean {
  const slow = line.readBytes - line.minuteBytes < BYTES_A_MINUTE;
  line.minuteBytes = line.readBytes;
  line.minuteAtMs = nowMs;
  return slow;
}

/** The timeout of the socket notices if the kernel sends nothing, also within one long write. */
function limitSending(line: Line): void {
  const sends = line.socket.writableLength > 0;
  if (sends === line.sending) return;
  line.sending = sends;
  if (sends) line.socket.setTimeout(UNREAD_MS);
  // Between requests the server's keep-alive timeout applies.
  else if (line.response !== null && !line.response.writableFinished) line.socket.setTimeout(0);
}
