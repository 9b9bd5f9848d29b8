import { ERROR_STATUS, type ErrorAnswer } from '@flotilla/contract/errors.ts';
import type { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { classifyError } from './classify-error.ts';
import { requestId } from './observe-request.ts';
import { sendJson } from './send-answer.ts';

/** Answers every error in the one shape. The log line of the request names those that are our own fault. */
export function errorHandler(): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    const error = classifyError(thrown);
    const status = ERROR_STATUS[error.code];
    if (status >= 500) noteFault(request, response, thrown instanceof Error ? thrown : error);
    // Part of the answer is sent, for example if saving the session failed after it. We can only cut the connection.
    if (response.headersSent) return void request.socket.destroy();
    setErrorHeaders(response, error);
    sendJson(response, status, errorText(error, request, response));
  };
}

/** The body of the answer for an error. */
export function errorText(error: FlotillaError, request: Request, response: Response): string {
  return JSON.stringify(answerOf(error, request, requestId(response)));
}

/** The log line of the request has it, or a line of its own if that is written already. */
function noteFault(request: Request, response: Response, fault: Error): void {
  response.err = fault;
  if (response.writableFinished) request.log.error({ err: fault }, 'the request failed after its answer');
}

function setErrorHeaders(response: Response, error: FlotillaError): void {
  if (error.retryAfterS !== undefined) response.setHeader('Retry-After', Math.max(1, Math.ceil(error.retryAfterS)));
  if (error.code === 'unauthorized') response.setHeader('WWW-Authenticate', 'Bearer');
}

function answerOf(error: FlotillaError, request: Request, id: string): ErrorAnswer {
  return {
    error: error.message,
    code: error.code,
    request_id: id,
    ...(error.details === undefined ? detailsOf(error, request) : { details: error.details }),
    ...(error.store === undefined ? {} : { store: error.store }),
    ...(error.platformErrorCode === undefined ? {} : { error_code: error.platformErrorCode }),
    ...(error.businessConnectionIds === undefined ? {} : { business_connection_ids: error.businessConnectionIds }),
    ...(error.migrateToChatId === undefined ? {} : { migrate_to_chat_id: error.migrateToChatId }),
  };
}

/** A 400 always has details. A fault that no single input has is a fault of the whole query or body. */
function detailsOf(error: FlotillaError, request: Request): Pick<ErrorAnswer, 'details'> {
  if (ERROR_STATUS[error.code] !== 400) return {};
  return { details: [{ path: request.method === 'POST' ? 'body' : 'query', reason: error.message }] };
}
