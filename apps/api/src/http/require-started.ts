import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { RequestHandler } from 'express';
import type { Context } from '../context.ts';

/** What stands on Postgres is not served before its schema is known to be ours. */
export function requireStarted({ startup }: Pick<Context, 'startup'>): RequestHandler {
  return (_request, _response, next) => {
    if (!startup.waitsForPostgres) return next();
    throw new FlotillaError('unavailable', 'The service is starting and waits for Postgres', { retryAfterS: 1 });
  };
}
