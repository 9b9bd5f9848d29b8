import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

const HEADER = 'X-Request-Id';

/** Gives every request an id; it is in the answer's header, in an error's body and in the log line. */
export function assignRequestId(): RequestHandler {
  return (_request, response, next) => {
    response.setHeader(HEADER, randomUUID());
    next();
  };
}

export function requestId(response: ServerResponse): string {
  return String(response.getHeader(HEADER) ?? '');
}
