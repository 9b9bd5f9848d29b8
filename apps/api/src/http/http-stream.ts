import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** A complete request whose connection waits without a parser, a request and a response of node:http. */
export type SuspendedRequest = {
  /** Calls the listener when the client leaves before `resume`. */
  onGone(listener: () => void): void;
  /** A response for its answer, to be called once. It is destroyed if the client has left. */
  resume(): ServerResponse;
};

/** The connection of a stream. It goes on without the stream when it has suspended the request; null if it may not. */
type Connection = { suspend(): SuspendedRequest | null };

const END_OF_HEAD = '\r\n\r\n';

/**
 * What node:http gets instead of a socket: the parser ends with the stream, and the socket does not have to. It has those
 * properties of a socket that are used with requests.
 */
export class HttpStream extends Duplex {
  readonly #connection: Connection;
  readonly #socket: Socket;
  /** What is written to a stream that is not attached goes nowhere. */
  #isAttached = true;
  #newest: ServerResponse | null = null;
  /** Since the end of the last request. NaN once the bytes of a request cannot be told from those of the next one. */
  #taken = 0;
  #headLength = 0;
  bytesRead = 0;

  constructor(connection: Connection, socket: Socket) {
    super({ decodeStrings: false });
    this.#connection = connection;
    this.#socket = socket;
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  setTimeout(ms: number, listener?: () => void): this {
    if (listener !== undefined) this.once('timeout', listener);
    if (this.#isAttached) this.#socket.setTimeout(ms);
    return this;
  }

  /** As of a socket; node:http calls it after the last answer. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', this.destroy);
  }

  /** False when there is enough for now. */
  receive(bytes: Buffer): boolean {
    if (this.#taken === 0) {
      const end = bytes.indexOf(END_OF_HEAD);
      this.#headLength = end === -1 ? Number.NaN : end + END_OF_HEAD.length;
    }
    this.#taken += bytes.length;
    this.bytesRead += bytes.length;
    return this.push(bytes);
  }

  began(response: ServerResponse): void {
    this.#newest = response;
    response.once('finish', () => {
      this.#taken = this.#isAlone(response) ? 0 : Number.NaN;
    });
  }

  /** Ends the stream without its socket. Null if the connection has more to do than this request. */
  suspend(response: ServerResponse): SuspendedRequest | null {
    const isPlain = response.shouldKeepAlive && !response.headersSent && !response.hasHeader('Connection');
    if (!isPlain || this.destroyed || !this.#isAlone(response)) return null;
    const suspended = this.#connection.suspend();
    if (suspended === null) return null;
    this.#isAttached = false;
    // node:http and streams make an error with its stack for what a destroyed stream has not finished.
    response.once('finish', () => process.nextTick(() => this.destroy())).end();
    return suspended;
  }

  /** True if nothing came before or after this request that is not answered, and all of it is here. */
  #isAlone(response: ServerResponse): boolean {
    const { complete, headers } = response.req;
    const length = this.#headLength + Number(headers['content-length'] ?? 0);
    return this.#newest === response && complete && this.#taken === length;
  }

  override _read(): void {
    if (this.#isAttached) this.#socket.resume();
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#isAttached) this.#socket.write(chunk, encoding, done);
    else done();
  }

  override _writev(
    chunks: { chunk: Buffer | string; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    if (!this.#isAttached) {
      done();
      return;
    }
    const last = chunks.length - 1;
    this.#socket.cork();
    for (const [at, { chunk, encoding }] of chunks.entries()) {
      this.#socket.write(chunk, encoding, at === last ? done : undefined);
    }
    this.#socket.uncork();
  }

  override _final(done: () => void): void {
    if (this.#isAttached) this.#socket.end(done);
    else done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.#isAttached) this.#socket.destroy();
    done(error);
  }
}
