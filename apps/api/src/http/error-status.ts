import type { ErrorCode } from '@flotilla/contract/flotilla-error.ts';

/** The one place where an error's code becomes an HTTP status. */
export const ERROR_STATUS: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  token_refused: 400,
  platform_refused: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  internal: 500,
  platform_failed: 502,
  unavailable: 503,
  platform_timeout: 504,
};
