type Fault = { path: string; reason: string };
type Refusal = { error?: string; code?: string; request_id?: string; details?: Fault[] };

/** Flotilla refused a call, or could not do it. */
export class FlotillaError extends Error {
  override name = 'FlotillaError';
  readonly status: number;
  /** A word from the list of the API document, such as `not_found`. '' if something between answered. */
  readonly code: string;
  readonly requestId: string | undefined;
  /** Of a 400: each input that is wrong, and why. */
  readonly details: readonly Fault[];
  readonly retryAfterS: number | undefined;
  /** The whole answer: some codes have more fields. */
  readonly answer: Readonly<Record<string, unknown>>;

  constructor(status: number, answer: Refusal, retryAfterS: number | undefined) {
    super(answer.error ?? `HTTP ${status}`);
    this.status = status;
    this.code = answer.code ?? '';
    this.requestId = answer.request_id;
    this.details = answer.details ?? [];
    this.retryAfterS = retryAfterS;
    this.answer = answer;
  }
}

/** No answer came. A call that changes something and has no idempotency key may have been carried out. */
export class FlotillaUnreachable extends Error {
  override name = 'FlotillaUnreachable';
}
