import type { ServerResponse } from 'node:http';
import type { SuspendedRequest } from '../../http/http-stream.ts';
import { suspendRequest } from '../../http/poll-connections.ts';

/**
 * To suspend a request takes 20 µs of processor time, and 0.3 ms in a process that does little else (ADR 40). A poll of a
 * busy bot is answered sooner.
 */
const SUSPENDED_AFTER_MS = 200;

/** The reply to a call that may wait long. Aborts the call when its client leaves before it is answered. */
export class SuspendableReply {
  #response: ServerResponse | null;
  #suspended: SuspendedRequest | null = null;
  #suspending: NodeJS.Timeout | undefined;
  readonly #call: AbortController;

  constructor(response: ServerResponse, call: AbortController) {
    this.#response = response;
    this.#call = call;
    response.on('close', this.#closed);
  }

  /** Suspends the request if its reply is not taken soon. Whoever waits must not keep request or response in memory. */
  suspendSoon(): void {
    this.#suspending = setTimeout(() => this.#suspend(), SUSPENDED_AFTER_MS);
  }

  /** The response for the answer, which is destroyed if the client has left. To be called once, or not at all. */
  take(): ServerResponse {
    clearTimeout(this.#suspending);
    return this.#suspended?.resume() ?? (this.#response as ServerResponse);
  }

  #suspend(): void {
    this.#suspending = undefined;
    const response = this.#response as ServerResponse;
    this.#suspended = suspendRequest(response);
    if (this.#suspended === null) return;
    this.#response = null;
    response.off('close', this.#closed);
    this.#suspended.onGone(() => this.#call.abort());
  }

  // To abort after every answer would cost as much as to answer: it makes an error with its stack.
  readonly #closed = () => {
    if (!this.#response?.writableFinished) this.#call.abort();
  };
}
