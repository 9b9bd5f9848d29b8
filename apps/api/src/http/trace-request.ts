import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Span, Tracing } from '@flotilla/runtime/tracing.ts';
import type { RequestHandler } from 'express';

/** A span from a request's head to the end of its answer, in the trace that the caller began if it did. */
export function traceRequest(tracing: Tracing, operation: string): RequestHandler {
  return (request, response, next) => {
    const span = tracing.start(operation, {
      kind: 'server',
      parent: incomingTraceparent(request.headers),
      attributes: { 'http.request.method': request.method },
    });
    if (span) endWithAnswer(span, response);
    next();
  };
}

/** By which the caller's trace goes on; null where it has none. */
export function incomingTraceparent(headers: IncomingHttpHeaders): string | null {
  const { traceparent } = headers;
  return typeof traceparent === 'string' ? traceparent : null;
}

/** Ends the span when the answer has ended, or the client went away. */
export function endWithAnswer(span: Span, response: ServerResponse): void {
  response.once('close', () => {
    span.set({ 'http.response.status_code': response.statusCode, 'flotilla.answered': response.writableFinished });
    span.end(response.statusCode >= 500 ? 'failed' : 'ok');
  });
}
