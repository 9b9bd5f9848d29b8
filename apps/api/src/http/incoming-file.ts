import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { paramsDigest } from '@flotilla/domain/delivery/idempotency/idempotency-keys.ts';
import { KEY_HEADER } from '@flotilla/domain/delivery/idempotency/key-header.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { FileHead } from '@flotilla/telegram/parameters/part-headers.ts';

/** A client that sends as little as it may would take days. */
const WHOLE_WITHIN_MS = 600_000;
const NAME_LENGTH = 255;
const MIME = /^[\w.+-]{1,100}\/[\w.+-]{1,100}/;

/**
 * The file of a multipart body, while it comes. The request is read only as fast as this stream is. When it ends or is
 * destroyed, the rest of the request is dropped.
 */
export class IncomingFile extends Readable {
  readonly fileName: string;
  /** Without parameters, in lower case. */
  readonly mime: string;
  readonly #request: IncomingMessage;
  readonly #limitBytes: number;
  readonly #deadline: NodeJS.Timeout;
  #bytes = 0;
  /** Null for a call without an Idempotency-Key, of which nobody asks. */
  readonly #hash: Hash | null;
  #isWhole = false;

  constructor(head: FileHead, request: IncomingMessage, limitBytes: number) {
    super();
    this.fileName = head.name.replaceAll(/[\\/]/g, '_').slice(0, NAME_LENGTH) || 'file';
    this.mime = MIME.exec(head.mime)?.[0].toLowerCase() ?? 'application/octet-stream';
    this.#request = request;
    this.#limitBytes = limitBytes;
    this.#hash = request.headers[KEY_HEADER] === undefined ? null : createHash('sha256');
    const late = new FlotillaError('bad_request', 'The file did not arrive within 10 minutes');
    this.#deadline = setTimeout(() => this.destroy(late), WHOLE_WITHIN_MS);
    // A failure between the call's checks and its work has no other listener.
    this.on('error', () => undefined);
  }

  /** Receives bytes of the file from the request. */
  receive(bytes: Buffer): void {
    if (this.destroyed) return;
    this.#bytes += bytes.length;
    if (this.#bytes > this.#limitBytes) {
      const megabytes = this.#limitBytes / 1024 / 1024;
      this.destroy(new FlotillaError('payload_too_large', `The file is larger than ${megabytes} MB`));
    } else {
      this.#hash?.update(bytes);
      if (!this.push(bytes)) this.#request.pause();
    }
  }

  /** To be called when the whole file has come. */
  complete(): void {
    this.#isWhole = true;
    this.push(null);
  }

  /** The digest of the whole file, of a call with an Idempotency-Key; null if not all of it came. To be called once. */
  digest(): string | null {
    return this.#isWhole && this.#hash !== null ? paramsDigest(this.#hash) : null;
  }

  override _read(): void {
    this.#request.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#deadline);
    this.#request.resume();
    done(error);
  }
}
