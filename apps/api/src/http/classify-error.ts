import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

const RETRY_AFTER_S = 2;

/** Turns anything thrown into an error that a caller may see; unknown errors become 'internal'. */
export function classifyError(error: unknown): FlotillaError {
  if (error instanceof FlotillaError) return withRetryAfter(error);
  if (isUnavailable(error) || isRedisUnavailable(error)) {
    return new FlotillaError('unavailable', 'The service cannot reach its storage at the moment; try again shortly', {
      cause: error,
      retryAfterS: RETRY_AFTER_S,
    });
  }
  return requestError(error) ?? new FlotillaError('internal', 'Something went wrong on our side', { cause: error });
}

function withRetryAfter(error: FlotillaError): FlotillaError {
  if (error.code !== 'unavailable' || error.retryAfterS !== undefined) return error;
  return new FlotillaError('unavailable', error.message, { cause: error, retryAfterS: RETRY_AFTER_S });
}

/** Errors of Express carry a `status` of 4xx. */
function requestError(error: unknown): FlotillaError | null {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (typeof status !== 'number' || status < 400 || status > 499) return null;
  return new FlotillaError('bad_request', 'The request could not be read', { cause: error });
}
