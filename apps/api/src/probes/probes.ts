import { Router } from 'express';
import type { Context } from '../context.ts';
import { sendJson } from '../http/send-answer.ts';
import { readReadiness } from './readiness.ts';

/** The two probes on the api's own port, beside those on METRICS_PORT. */
export function probes(context: Context): Router {
  const router = Router();
  router.get('/livez', (_request, response) => sendJson(response, 200, '{"live":true}'));
  router.get('/readyz', async (_request, response) => {
    const readiness = await readReadiness(context);
    sendJson(response, readiness.ready ? 200 : 503, JSON.stringify(readiness));
  });
  return router;
}
