import type { Readiness } from '@flotilla/runtime/probe-server.ts';
import { Router } from 'express';
import type { Context } from '../context.ts';
import { sendJson } from '../http/send-answer.ts';

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

/**
 * True if this pod should get requests. Losing Postgres later does not count: polling, the proxy and signed-in callers
 * work without it, and a pod that leaves the load balancer would end those, too. A full Redis does not count either:
 * all pods share it, so all would leave at once, together with the polls that empty it.
 */
export async function readReadiness({ redis, directory, memory, leaving, startup }: Context): Promise<Readiness> {
  const reasons: string[] = [];
  if (leaving.aborted) reasons.push('the process is stopping');
  if (startup.waitsForPostgres) reasons.push('Postgres has not answered since the start');
  if (!directory.ready()) reasons.push('the list of bots has not been read');
  const answers = await redis.commands.ping().then(
    () => true,
    () => false,
  );
  if (!answers) reasons.push('Redis does not answer');
  return { ready: reasons.length === 0, reasons, warnings: memory.warnings() };
}
