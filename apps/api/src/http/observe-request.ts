import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import type { ActorRequest } from '@flotilla/domain/people/audit/actor.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Span, Tracing } from '@flotilla/runtime/tracing.ts';
import type { RequestHandler, Response } from 'express';
import { pinoHttp } from 'pino-http';
import type { ApiMetrics } from '../api-metrics.ts';
import { classifyError } from './classify-error.ts';

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

/** The request of an answer that need not tell an id: it tells one from now on. Undefined if the head of the answer is gone. */
export function identify(response: ServerResponse): ActorRequest | undefined {
  if (!response.hasHeader(HEADER)) {
    if (response.headersSent) return undefined;
    response.setHeader(HEADER, randomUUID());
  }
  return { id: requestId(response) };
}

/** The request as what it leads to goes on with it. */
export function requestIn(response: Response): ActorRequest {
  return { id: requestId(response), traceparent: response.locals.traceparent };
}

const LOGGED_PATH = 1000;
const QUIET = new Set(['/livez', '/readyz', '/api/updates/poll', '/admin/queues/api/queues']);

/**
 * Logs one line per request, without the query, which may contain tokens and passwords. The line of a failed request has the
 * error that the error handler met.
 */
export function requestLog(log: Logger) {
  return pinoHttp({
    logger: log,
    genReqId: (_request, response) => requestId(response),
    customAttributeKeys: { reqId: 'requestId', responseTime: 'durationMs' },
    quietReqLogger: true,
    serializers: {
      req: (request: { method: string; url: string }) => ({ method: request.method, path: shownPath(pathOf(request)) }),
      res: (response: { statusCode: number }) => ({ status: response.statusCode }),
    },
    customProps: (_request, response) => callerIn(response as Response),
    customLogLevel: (request, response, error) => {
      if (response.err !== undefined) return isAway(response.err) ? 'warn' : 'error';
      if (response.statusCode === 503) return 'warn';
      if (response.statusCode >= 500) return 'error';
      if (error !== undefined) return 'info';
      return QUIET.has(pathOf(request)) ? 'debug' : 'info';
    },
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request failed',
    customErrorObject: (_request, { err }, error, { err: _, ...fields }) =>
      err !== undefined && !isAway(err) ? { ...fields, err } : { ...fields, reason: error.message },
  });
}

/** A store that does not answer is not a bug: the log needs no stack. */
function isAway(error: Error): boolean {
  return classifyError(error).code === 'unavailable';
}

/** The caller, once known; nothing for a stranger. */
function callerIn({ locals }: Response): object {
  const caller = locals?.caller as Caller | undefined;
  if (caller === undefined) return {};
  return { accountId: caller.account.id, ...(caller.apiKey === null ? {} : { keyId: caller.apiKey.id }) };
}

function pathOf(request: Pick<IncomingMessage, 'url'>): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}

/** A path as it is logged. A long one ends with a whole segment, because half a token is not recognised as a secret. */
function shownPath(path: string): string {
  return path.length <= LOGGED_PATH ? path : `${path.slice(0, path.lastIndexOf('/', LOGGED_PATH) + 1)}…`;
}

/** Measures a request from its head to the end of its answer, or until the client is gone. */
export function measureRequest({ apiMetrics }: { apiMetrics: ApiMetrics }, operation: string): RequestHandler {
  return (_request, response, next) => {
    const begunAtMs = performance.now();
    response.once('close', () => {
      const status = response.writableFinished ? statusClass(response.statusCode) : 'client_gone';
      apiMetrics.requestSeconds.observe({ operation, status }, (performance.now() - begunAtMs) / 1000);
    });
    next();
  };
}

/** The outcome of a request as a label of metrics, which must have few values. */
export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '429' | '5xx' | 'client_gone';

/** nginx logs this status for a client that left before its answer. */
export const CLIENT_GONE = 499;
const BY_HUNDREDS: StatusClass[] = ['5xx', '1xx', '2xx', '3xx', '4xx', '5xx'];

/** 499 means that the client left before the answer, as in nginx. */
export function statusClass(status: number): StatusClass {
  if (status === 429) return '429';
  if (status === CLIENT_GONE) return 'client_gone';
  return BY_HUNDREDS[Math.floor(status / 100)] ?? '5xx';
}

/** Opens a span from the head of a request to the end of its answer, within the caller's trace if there is one. */
export function traceRequest(tracing: Tracing, operation: string): RequestHandler {
  return (request, response, next) => {
    const span = tracing.start(operation, {
      kind: 'server',
      parent: incomingTraceparent(request.headers),
      attributes: { 'http.request.method': request.method },
    });
    if (span) {
      response.locals.traceparent = span.traceparent;
      endWithAnswer(span, response);
    }
    next();
  };
}

/** The trace context of the caller; null if it sent none. */
export function incomingTraceparent(headers: IncomingHttpHeaders): string | null {
  const { traceparent } = headers;
  return typeof traceparent === 'string' ? traceparent : null;
}

/** Ends the span with the answer, or when the client is gone. */
export function endWithAnswer(span: Span, response: ServerResponse): void {
  response.once('close', () => {
    const id = requestId(response);
    span.set({
      'http.response.status_code': response.statusCode,
      'flotilla.answered': response.writableFinished,
      ...(id !== '' && { 'flotilla.request_id': id }),
    });
    span.end(response.statusCode >= 500 ? 'failed' : 'ok');
  });
}
