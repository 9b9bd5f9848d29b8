import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

const STALLED_MS = 60_000;

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
      req.setTimeout(0);
      this.push(null);
    });
    req.on('error', (error) => this.destroy(error));
    // A client that stops in the middle would otherwise keep two connections for ever.
    req.setTimeout(STALLED_MS);
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
