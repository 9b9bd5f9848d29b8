import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RequestHandler, Router } from 'express';
import { authenticate } from '../auth/authenticate.ts';
import { requireSecondFactor } from '../auth/second-factor.ts';
import type { Context } from '../context.ts';
import { requirePasswordChanged, requireRole, requireSameOrigin } from '../operations/authorize.ts';
import { refuseMethod } from '../operations/serve-operations.ts';

const PATH = '/admin/queues';
/** Only for admins of the whole fleet, because the queues name every bot. */
const ADMINS = { role: 'admin', wholeFleet: true } as const;
const refuseChange = refuseMethod(['GET', 'HEAD']);

/** Only files of the board itself, not the fonts of other hosts. Its page has a base: the path where it is mounted. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Bull Board at /admin/queues shows admins which turns wait, run and sleep. It only reads, because a queue that a
 * person pauses or empties would stop every bot. Upkeep wakes lost and late turns.
 */
export function queueBoard(context: Context): Router {
  let board: Promise<RequestHandler> | undefined;
  const router = Router({ caseSensitive: true });
  router.use(PATH, adminsOnly(context), async (request, response, next) => {
    board ??= openBoard(context);
    (await board)(request, response, next);
  });
  return router;
}

/** Loads Bull Board for the first admin who looks at it: most processes start and end without one. */
async function openBoard({ turns }: Context): Promise<RequestHandler> {
  const [{ createBullBoard }, { BullMQAdapter }, { ExpressAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/express'),
  ]);
  const files = dirname(fileURLToPath(import.meta.resolve('@bull-board/ui/package.json')));
  const board = new ExpressAdapter().setBasePath(PATH);
  createBullBoard({
    queues: Object.values(turns).flatMap(({ parts }) =>
      parts.map((part) => new BullMQAdapter(part, { readOnlyMode: true })),
    ),
    serverAdapter: board,
    options: { uiBasePath: files, uiConfig: { boardTitle: 'Flotilla: turns' } },
  });
  return board.getRouter().disable('x-powered-by');
}

function adminsOnly(context: Context): RequestHandler {
  return async (request, response, next) => {
    const caller = await authenticate(context, ADMINS, request, response);
    requireSameOrigin(context, ADMINS, request);
    requirePasswordChanged({}, caller);
    requireSecondFactor(context.config, {}, caller, request);
    requireRole(ADMINS, caller);
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuseChange(request, response, next);
    response.setHeader('Content-Security-Policy', PAGE_POLICY);
    next();
  };
}
