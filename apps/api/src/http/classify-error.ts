import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

const RETRY_AFTER_S = 2;

/** Turns anything thrown into an error that a caller may see; unknown errors become 'internal'. */
export function classifyError(error: unknown): FlotillaError {
  if (error instanceof FlotillaError) return error.code === 'unavailable' ? completed(error) : error;
  const store = storeOf(error);
  if (store !== null) {
    return new FlotillaError('unavailable', 'The service cannot reach its storage at the moment; try again shortly', {
      ...{ cause: error, retryAfterS: RETRY_AFTER_S, store },
    });
  }
  return requestError(error) ?? new FlotillaError('internal', 'Something went wrong on our side', { cause: error });
}

function completed(error: FlotillaError): FlotillaError {
  const store = error.store ?? storeOf(error.cause);
  return new FlotillaError('unavailable', error.message, {
    ...{ cause: error, retryAfterS: error.retryAfterS ?? RETRY_AFTER_S },
    ...(store === null ? {} : { store }),
  });
}

/** Redis is asked first: codes of the network are the same for both. An error of ours names no store. */
function storeOf(error: unknown): NonNullable<FlotillaError['store']> | null {
  if (error instanceof FlotillaError) return error.store ?? null;
  if (isRedisUnavailable(error)) return 'redis';
  return isUnavailable(error) ? 'postgres' : null;
}

/** Errors of Express carry a `status` of 4xx. */
function requestError(error: unknown): FlotillaError | null {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (typeof status !== 'number' || status < 400 || status > 499) return null;
  return new FlotillaError('bad_request', 'The request could not be read', { cause: error });
}
