import { randomUUID } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { RequestHandler } from 'express';
import { POLL_ERROR_DELAY_MS, sendError } from './bot-api-proxy/answer.ts';
import { isBotApiPath } from './bot-api-proxy/path.ts';
import type { Context } from './context.ts';
import { SECURITY_HEADERS } from './http/security-headers.ts';

const SENTENCE = 'The service is starting and waits for Redis';
const RETRY_AFTER_S = 1;

/** Answers while the api waits for Redis: the probes say live and not ready, everything else gets 503. */
export function answerWhileWaiting(prefix: string): RequestListener {
  return (request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    request.resume();
    if (isBotApiPath(path, prefix)) {
      const description = `Service Unavailable: ${SENTENCE}`;
      const refuse = () => sendError(response, { code: 503, description, retryAfterS: RETRY_AFTER_S });
      if (/\/getupdates$/i.test(path)) setTimeout(refuse, POLL_ERROR_DELAY_MS);
      else refuse();
    } else if (path === '/livez') send(response, 200, { live: true });
    else if (path === '/readyz') send(response, 503, { ready: false, reasons: [SENTENCE] });
    else {
      const request_id = randomUUID();
      response.setHeader('X-Request-Id', request_id);
      response.setHeader('Retry-After', RETRY_AFTER_S);
      send(response, 503, { error: SENTENCE, code: 'unavailable', request_id });
    }
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** Operations that need Postgres wait until its schema is known to be ours. */
export function requireStarted({ startup }: Pick<Context, 'startup'>): RequestHandler {
  return (_request, _response, next) => {
    if (!startup.waitsForPostgres) return next();
    throw new FlotillaError('unavailable', 'The service is starting and waits for Postgres', { retryAfterS: 1 });
  };
}
