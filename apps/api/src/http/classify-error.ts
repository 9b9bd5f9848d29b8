import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';

const RETRY_AFTER_S = 2;

/** Turns whatever was thrown into an error a caller may see; what is not ours to tell becomes 'internal'. */
export function classifyError(error: unknown): FlotillaError {
  if (error instanceof FlotillaError) return withRetryAfter(error);
  if (isUnavailable(error) || isRedisUnavailable(error)) {
    return new FlotillaError('unavailable', 'The service cannot reach its storage at the moment; try again shortly', {
      cause: error,
      retryAfterS: RETRY_AFTER_S,
    });
  }
  return bodyError(error) ?? new FlotillaError('internal', 'Something went wrong on our side', { cause: error });
}

function withRetryAfter(error: FlotillaError): FlotillaError {
  if (error.code !== 'unavailable' || error.retryAfterS !== undefined) return error;
  return new FlotillaError('unavailable', error.message, { cause: error, retryAfterS: RETRY_AFTER_S });
}

/** What Express and its body reader throw carries a `status` of 4xx. */
function bodyError(error: unknown): FlotillaError | null {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (status === 413) return new FlotillaError('payload_too_large', 'The body is larger than 1 MiB', { cause: error });
  if (status === 415) {
    return new FlotillaError('unsupported_media_type', 'The body has an encoding that is not accepted', {
      cause: error,
    });
  }
  if (typeof status !== 'number' || status < 400 || status > 499) return null;
  return new FlotillaError('bad_request', 'The request could not be read', { cause: error });
}
