import { operations } from '@flotilla/contract/operations.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import express, { type Express } from 'express';
import { serveConsole } from './console/serve-console.ts';
import type { Context } from './context.ts';
import { docs } from './docs/docs.ts';
import { handlers } from './endpoints/handlers.ts';
import { errorHandler } from './http/error-handler.ts';
import { assignRequestId, measureRequest, requestLog } from './http/observe-request.ts';
import { refuseOnProxyHost } from './http/proxy-host.ts';
import { securityHeaders } from './http/security-headers.ts';
import { serveMcp } from './mcp/serve-mcp.ts';
import { serveOidc } from './oidc/serve-oidc.ts';
import { serveOperations } from './operations/serve-operations.ts';
import { platformWebhook } from './platform-webhook/platform-webhook.ts';
import { probes } from './probes/probes.ts';
import { queueBoard } from './queue-board/queue-board.ts';
import { requireStarted } from './while-starting.ts';

/** Everything that the api serves, except the Bot API proxy, which comes before it (start.ts). */
export function createApp(context: Context): Express {
  const { config, log } = context;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('trust proxy', config.http.trustedProxies);

  app.use(assignRequestId());
  app.use(requestLog(log));
  app.use(securityHeaders(config));
  app.use(probes(context));
  if (context.proxyHost !== null) app.use(refuseOnProxyHost(context.proxyHost));
  app.use(platformWebhook(context));
  app.use(docs());
  app.use(serveConsole({ folder: config.consoleDir, log }));
  app.use(requireStarted(context));
  app.use(queueBoard(context));
  app.use(serveMcp(context));
  app.use(serveOidc(context));
  app.use(serveOperations(context, operations, handlers));
  app.use(measureRequest(context, 'none'));
  app.use(() => {
    throw new FlotillaError('not_found', 'There is nothing at this path');
  });
  app.use(errorHandler());
  return app;
}
