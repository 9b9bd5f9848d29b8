import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Pool } from 'undici';

export type Upstream = {
  dispatcher: Pool;
  /** The path of TELEGRAM_API_URL, '' when it has none. */
  basePath: string;
  readOnMs: number;
};

/** How long the platform is waited for. */
export type PlatformPatience = {
  /** Before its headers, and within its body. Uploads of gigabytes to a server of one's own are answered only when it has passed them on. */
  silenceMs: number;
  /** For the answer to a captured call whose client has gone. */
  readOnMs: number;
};

/** A client waits less than `readOnMs` itself, mostly; a stop of the process waits less, too. */
const PATIENCE: PlatformPatience = { silenceMs: 300_000, readOnMs: 60_000 };
const CONNECT_MS = 10_000;
const MAX_HEADER_BYTES = 256 * 1024;

/**
 * Kept-alive connections to the platform, as many as calls are in flight, one call at a time on each: nothing is
 * pipelined, so nothing is ever sent a second time. HTTP/1.1 only, which keeps header names and framing as they are.
 */
export function connectUpstream(platformUrl: string, patience: Partial<PlatformPatience>): Upstream {
  const url = new URL(platformUrl);
  const { silenceMs, readOnMs } = { ...PATIENCE, ...patience };
  const dispatcher = new Pool(url.origin, {
    pipelining: 1,
    allowH2: false,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: { timeout: CONNECT_MS },
  });
  return { dispatcher, basePath: url.pathname.replace(/\/+$/, ''), readOnMs };
}

/**
 * The request's body as a stream of its own: the dispatcher destroys a body whose upstream failed, and destroying the
 * request itself would cut the connection on which the client still waits for our error.
 */
export class RequestBody extends Readable {
  readonly #req: IncomingMessage;

  constructor(req: IncomingMessage, onChunk: (chunk: Buffer) => void) {
    super();
    this.#req = req;
    req.on('data', (chunk: Buffer) => {
      if (this.destroyed) return;
      onChunk(chunk);
      if (!this.push(chunk)) req.pause();
    });
    req.on('end', () => {
      if (this.destroyed) return;
      this.push(null);
    });
    req.on('error', (error) => this.destroy(error));
    req.pause();
  }

  override _read(): void {
    this.#req.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    // What the client still sends is read and dropped, so that it comes to read our answer.
    this.#req.resume();
    callback(error);
  }
}
