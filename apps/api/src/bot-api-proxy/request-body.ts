import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

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
