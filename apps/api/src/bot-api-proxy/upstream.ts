import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Target } from '@flotilla/domain/fleet/upstreams/upstreams.ts';
import { platformConnect } from '@flotilla/telegram/platform-connections.ts';
import { PROXY_FAILED } from '@flotilla/telegram/proxy-tunnel.ts';
import { Pool } from 'undici';
import { NO_ROOM_AT_SERVER, NO_ROOM_OF_BOT, type Refusal, UNKNOWN_SERVER } from './answer.ts';

export type Upstream = {
  name: string;
  dispatcher: Pool;
  /** The path of the server's URL, '' when it has none. */
  basePath: string;
  /** True: calls need the segment of the test environment. */
  isTest: boolean;
  /** Null: as many calls as there are. */
  room: CallRoom | null;
  /** False: the settings do not have it, so nothing is sent. */
  isKnown: boolean;
  readOnMs: number;
  /** Tells the operator what callers must not see: where the proxy is, and why it gave no way. */
  noteFailure(error: Error & { code?: string }): void;
};

/** Calls in flight: those who wait for a server that does not answer must not hold all connections of this process. */
type CallRoom = { calls: number; ofBots: Map<number, number> };

/** How long we wait for the platform. */
export type PlatformTimeouts = {
  /** Wait before its headers and between two pieces of its body; an upload of gigabytes is answered late. */
  silenceMs: number;
  /** Wait for the answer to a captured call whose client has gone. */
  readOnMs: number;
};

/** Most clients wait for less than `readOnMs`, and so does a process that stops. */
const TIMEOUTS: PlatformTimeouts = { silenceMs: 300_000, readOnMs: 60_000 };
const CONNECT_MS = 10_000;
/** A tenth of the connections of a process. */
const CALLS_AT_MOST = 2_000;
/** One bot with long uploads, or calls that hang, leaves room for the others of its server. */
const CALLS_OF_BOT_AT_MOST = 200;
const MAX_HEADER_BYTES = 256 * 1024;

/**
 * Keep-alive connections to the platform: one call at a time on each, as many as calls are in flight. Nothing is
 * pipelined, so nothing is sent twice. HTTP/1.1 only, because it keeps header names and framing unchanged.
 */
export function connectUpstream(target: Target, timeouts: Partial<PlatformTimeouts>): Upstream {
  const { name, apiUrl, proxy = null, isTest = false, isKnown } = target;
  const url = new URL(apiUrl);
  const { silenceMs, readOnMs } = { ...TIMEOUTS, ...timeouts };
  const dispatcher = new Pool(url.origin, {
    pipelining: 1,
    allowH2: false,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: platformConnect(proxy, { timeout: CONNECT_MS, allowH2: false }),
  });
  return {
    ...{ name, isTest, isKnown, room: target.server === null ? null : { calls: 0, ofBots: new Map() } },
    dispatcher,
    basePath: url.pathname.replace(/\/+$/, ''),
    readOnMs,
    noteFailure: ({ code, message }) => {
      if (code === PROXY_FAILED) target.noteFailure?.(message);
    },
  };
}

/** Why a call does not go on; null: it does, and `endCall` must follow. */
export function beginCall({ isKnown, room }: Upstream, botId: number | null): Refusal | null {
  if (!isKnown) return UNKNOWN_SERVER;
  if (room === null || botId === null) return null;
  const ofBot = room.ofBots.get(botId) ?? 0;
  if (room.calls >= CALLS_AT_MOST) return NO_ROOM_AT_SERVER;
  if (ofBot >= CALLS_OF_BOT_AT_MOST) return NO_ROOM_OF_BOT;
  room.calls += 1;
  room.ofBots.set(botId, ofBot + 1);
  return null;
}

export function endCall({ room }: Upstream, botId: number | null): void {
  if (room === null || botId === null) return;
  const ofBot = room.ofBots.get(botId) ?? 0;
  room.calls -= 1;
  if (ofBot > 1) room.ofBots.set(botId, ofBot - 1);
  else room.ofBots.delete(botId);
}

/**
 * The request's body as a stream of its own. The dispatcher destroys the body when upstream fails; destroying the request
 * would close the connection on which the client waits for our error.
 */
export class RequestBody extends Readable {
  readonly #req: IncomingMessage;

  /** `sentOf`: what goes on for a chunk, and (for null) at the end; null for nothing. */
  constructor(req: IncomingMessage, sentOf: (chunk: Buffer | null) => Buffer | null) {
    super();
    this.#req = req;
    req.on('data', (chunk: Buffer) => {
      if (this.destroyed) return;
      const sent = sentOf(chunk);
      if (this.destroyed || sent === null || sent.length === 0) return;
      if (!this.push(sent)) req.pause();
    });
    req.on('end', () => {
      if (this.destroyed) return;
      const last = sentOf(null);
      if (this.destroyed) return;
      if (last !== null && last.length > 0) this.push(last);
      this.push(null);
    });
    req.on('error', (error) => this.destroy(error));
    req.pause();
  }

  override _read(): void {
    this.#req.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    // The rest of the body is read and dropped: many clients read the answer only after they have sent everything.
    this.#req.resume();
    callback(error);
  }
}
