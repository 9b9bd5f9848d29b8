import { warningOf } from '@flotilla/domain/fleet/installation/quarantine.ts';
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
 * Ready: this pod serves, so a load balancer should send it requests. That holds from the first list of bots until the stop.
 * A store that is away later is a warning: all pods share the stores, so all would leave at once, together with the calls
 * and polls that need neither. Before Postgres has answered for the first time, everything but REST is served.
 */
export async function readReadiness({
  directory,
  memory,
  readinessWarnings,
  installation,
  leaving,
  startup,
}: Context): Promise<Readiness> {
  // A stop is told at once, not after a store's silence.
  const shared = leaving.aborted ? [] : await readinessWarnings();
  const knowsBots = directory.ready();
  startup.knewBots ||= knowsBots;
  const reasons: string[] = [];
  if (leaving.aborted) reasons.push('the process is stopping');
  const quarantine = installation.quarantine();
  // With the Redis of another installation, the list stays unread, and REST answers from Postgres.
  const staysUnread = quarantine?.redisOfOthers === true && quarantine.reason !== 'unknown';
  if (!startup.knewBots && !staysUnread) reasons.push('the list of bots has not been read');
  const warnings = [...shared, ...memory.warnings()];
  if (quarantine !== null) warnings.push(warningOf(quarantine));
  if (startup.waitsForPostgres) warnings.push('Postgres has not answered since the start');
  if (startup.knewBots && !knowsBots) warnings.push('the list of bots is being read again');
  return { ready: reasons.length === 0, reasons, warnings };
}
