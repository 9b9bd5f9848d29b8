import type { IncomingMessage } from 'node:http';
import type { Caller } from '@flotilla/domain/accounts/caller.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Response } from 'express';
import { pinoHttp } from 'pino-http';
import { requestId } from './request-id.ts';

const QUIET = new Set(['/livez', '/readyz', '/api/updates/poll', '/admin/queues/api/queues']);

/** One line per request, without its query: tokens and passwords may be in it. */
export function requestLog(log: Logger) {
  return pinoHttp({
    logger: log,
    genReqId: (_request, response) => requestId(response),
    customAttributeKeys: { reqId: 'requestId', responseTime: 'durationMs' },
    quietReqLogger: true,
    serializers: {
      req: (request: { method: string; url: string }) => ({ method: request.method, path: pathOf(request) }),
      res: (response: { statusCode: number }) => ({ status: response.statusCode }),
      err: (error: { message: string }) => ({ message: error.message }),
    },
    customProps: (_request, response) => callerIn(response as Response),
    customLogLevel: (request, response, error) => {
      if (response.statusCode === 503) return 'warn';
      if (response.statusCode >= 500) return 'error';
      if (error !== undefined) return 'info';
      return QUIET.has(pathOf(request)) ? 'debug' : 'info';
    },
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request failed',
  });
}

/** Who made the request, once that is known; nothing of a stranger. */
function callerIn({ locals }: Response): object {
  const caller = locals?.caller as Caller | undefined;
  if (caller === undefined) return {};
  return { accountId: caller.account.id, ...(caller.apiKey === null ? {} : { keyId: caller.apiKey.id }) };
}

function pathOf(request: Pick<IncomingMessage, 'url'>): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}
