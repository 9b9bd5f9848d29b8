import { type NextFunction, type Request, type Response, Router } from 'express';
import type { Context } from '../context.ts';
import { measureRequest } from '../http/observe-request.ts';
import { refuseMethod } from '../operations/serve-operations.ts';
import { keyLimit } from './key-reach.ts';

const PATH = '/mcp';
/** Of one key, in one process: each may wait for 50 s, and looks into Postgres meanwhile. */
const RUNNING_AT_MOST = 50;

/**
 * MCP over streamable HTTP, without sessions: every replica answers every request. The tools and their library are loaded by the
 * first one, because most installations never ask.
 */
export function serveMcp(context: Context): Router {
  const router = Router({ caseSensitive: true });
  const limit = keyLimit(RUNNING_AT_MOST);
  router.post(PATH, measureRequest(context, 'mcp'), (request: Request, response: Response, next: NextFunction) => {
    import('./answer-mcp.ts').then(({ answerMcp }) => answerMcp(context, limit, request, response)).catch(next);
  });
  router.all(PATH, refuseMethod(['POST']));
  return router;
}
