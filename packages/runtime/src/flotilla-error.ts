import type { ErrorAnswer, ErrorCode } from '@flotilla/contract/errors.ts';

/** One fault of an input: its path (`bot_id`, `permissions.can_pin`) and what is wrong. */
export interface FaultDetail {
  path: string;
  reason: string;
}

export interface FlotillaErrorExtra {
  details?: FaultDetail[];
  /** Seconds after which trying again makes sense. */
  retryAfterS?: number;
  /** The `error_code` of the platform's refusal. */
  platformErrorCode?: number;
  /** The supergroup that the chat of the refused call has become. */
  migrateToChatId?: number;
  /** The conversations of which the call must name one. */
  businessConnectionIds?: string[];
  /** The store that does not answer. */
  store?: ErrorAnswer['store'];
  cause?: unknown;
}

/**
 * A broken expectation, with a code from the closed list. The message is a sentence for the caller without internals.
 * The internal error goes into `cause`, which is only logged.
 */
export class FlotillaError extends Error {
  override readonly name = 'FlotillaError';
  readonly code: ErrorCode;
  readonly details?: FaultDetail[];
  readonly retryAfterS?: number;
  readonly platformErrorCode?: number;
  readonly migrateToChatId?: number;
  readonly businessConnectionIds?: string[];
  readonly store?: ErrorAnswer['store'];

  constructor(code: ErrorCode, message: string, extra: FlotillaErrorExtra = {}) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.code = code;
    if (extra.details !== undefined) this.details = extra.details;
    if (extra.retryAfterS !== undefined) this.retryAfterS = extra.retryAfterS;
    if (extra.platformErrorCode !== undefined) this.platformErrorCode = extra.platformErrorCode;
    if (extra.migrateToChatId !== undefined) this.migrateToChatId = extra.migrateToChatId;
    if (extra.businessConnectionIds !== undefined) this.businessConnectionIds = extra.businessConnectionIds;
    if (extra.store !== undefined) this.store = extra.store;
  }
}

/** The error for one input that is well-formed but cannot be accepted. */
export function refusedInput(path: string, reason: string): FlotillaError {
  return new FlotillaError('bad_request', `${path} ${reason}`, { details: [{ path, reason }] });
}
