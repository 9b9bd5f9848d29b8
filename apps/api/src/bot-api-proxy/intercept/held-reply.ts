import type { ServerResponse } from 'node:http';
import type { ParkedRequest } from '../../http/http-stream.ts';
import { parkRequest } from '../../http/poll-connections.ts';

/** A poll of a busy bot is answered sooner. To park a request and to answer it costs as much as half a call. */
const PARKED_AFTER_MS = 100;

/** The reply to a call that may wait long. Aborts the call when its client leaves before it is answered. */
export class HeldReply {
  #response: ServerResponse | null;
  #parked: ParkedRequest | null = null;
  #parking: NodeJS.Timeout | undefined;
  readonly #call: AbortController;

  constructor(response: ServerResponse, call: AbortController) {
    this.#response = response;
    this.#call = call;
    response.on('close', this.#closed);
  }

  /** From now on the request may be parked; whoever waits for the reply must not keep request or response in memory. */
  parkSoon(): void {
    this.#parking = setTimeout(() => this.#park(), PARKED_AFTER_MS);
  }

  /** The response for the answer, which is destroyed if the client has left. To be called once, or not at all. */
  take(): ServerResponse {
    clearTimeout(this.#parking);
    return this.#parked?.answer() ?? (this.#response as ServerResponse);
  }

  #park(): void {
    this.#parking = undefined;
    const response = this.#response as ServerResponse;
    this.#parked = parkRequest(response);
    if (this.#parked === null) return;
    this.#response = null;
    response.off('close', this.#closed);
    this.#parked.onGone(() => this.#call.abort());
  }

  // To abort after every answer would cost as much as to answer: it makes an error with its stack.
  readonly #closed = () => {
    if (!this.#response?.writableFinished) this.#call.abort();
  };
}
