import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { type RequestHandler, Router } from 'express';
import type { Context } from '../context.ts';
import type { Endpoint } from './define-endpoint.ts';
import { measureRequest } from './measure-request.ts';
import { serveEndpoint } from './serve-endpoint.ts';
import { traceRequest } from './trace-request.ts';

/** Mounts every operation under its paths; a known path with another method is 405 and says which it knows. */
export function mountEndpoints(context: Context, endpoints: readonly Endpoint[]): Router {
  const router = Router({ caseSensitive: true });
  const methods = new Map<string, string[]>();
  for (const endpoint of endpoints) {
    const { method, paths, name } = endpoint.operation;
    const serve = serveEndpoint(context, endpoint);
    for (const path of paths) {
      methods.set(path, [...(methods.get(path) ?? []), ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]);
      const route = router.route(path);
      const handlers = [measureRequest(context, name), serve];
      if (context.tracing) handlers.unshift(traceRequest(context.tracing, name));
      if (method === 'GET') route.get(handlers);
      else route.post(handlers);
    }
  }
  for (const [path, allowed] of methods) router.all(path, refuseMethod(allowed));
  return router;
}

/** For a path that is known with other methods: 405, with those in Allow. */
export function refuseMethod(allowed: string[]): RequestHandler {
  return (request, response) => {
    response.setHeader('Allow', allowed.join(', '));
    throw new FlotillaError('method_not_allowed', `${request.method} is not possible here`);
  };
}
