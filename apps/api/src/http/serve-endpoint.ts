import type { RequestHandler } from 'express';
import { authenticate } from '../auth/authenticate.ts';
import { requireBots, requireFoundBots } from '../auth/require-bots.ts';
import { requirePasswordChanged } from '../auth/require-password-changed.ts';
import { requireRole } from '../auth/require-role.ts';
import { requireSameOrigin } from '../auth/same-origin.ts';
import type { Context } from '../context.ts';
import type { Endpoint } from './define-endpoint.ts';
import { readFields } from './read-fields.ts';
import { whileAllowed } from './while-allowed.ts';

/** What every request to an operation goes through: 401, then 403, then 400, and in the handler 404. */
export function serveEndpoint(context: Context, endpoint: Endpoint): RequestHandler {
  const { operation, answer } = endpoint;
  return async (request, response) => {
    const version = context.credentials.knownVersion();
    const caller = await authenticate(context, operation, request, response);
    requireSameOrigin(context.config.http, operation, request);
    requirePasswordChanged(operation, caller);
    requireRole(operation, caller);
    // Another replica may have answered a change a moment ago. While Redis is away, the snapshot is what there is.
    await context.directory.refresh().catch(() => undefined);
    const fields = await readFields(context.bodies, operation, request, response);
    requireBots(context, operation, caller, fields);
    await requireFoundBots(context, endpoint, caller, fields);
    const allowed = whileAllowed(context, { operation, request, caller, fields, version });
    await answer(context, { request, response, caller, fields, whileAllowed: allowed });
  };
}
