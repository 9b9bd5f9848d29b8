import { requireSchema } from '@flotilla/database/require-schema.ts';
import { warningOf } from '@flotilla/domain/fleet/installation/quarantine.ts';
import { type Part, type RunningParts, startParts } from '@flotilla/domain/startup/start-parts.ts';
import type { Store } from '@flotilla/domain/startup/start-service.ts';
import type { StopStep } from '@flotilla/runtime/lifecycle.ts';
import type { Readiness } from '@flotilla/runtime/probe-server.ts';
import type { WorkerConfig } from './config.ts';
import { type WorkerContext, workerContext } from './context.ts';
import type { Running } from './roles.ts';
import { rolesOutsideQuarantine } from './roles-outside-quarantine.ts';
import { fleetMetrics } from './upkeep/fleet-metrics.ts';

/** Turns are returned within 10 s; a role that hangs is given up after this. */
const ROLES_STOP_WITHIN_MS = 12_000;
const CALLS_STORED_WITHIN_MS = 5_000;

/**
 * Starts a worker. While Redis or Postgres is away it waits, unready. Rejects when a migration is pending, a port
 * is taken, a store refuses us, or `stopping` aborts first.
 */
export function startWorker(config: WorkerConfig, stopping?: AbortSignal): Promise<RunningParts> {
  return startParts([workerPart(config)], { config, stopping });
}

/** A worker that has not started. */
export function workerPart(config: WorkerConfig): Part {
  const startup: Startup = { waitsFor: 'Redis', knewBots: false, leaving: false, roles: [] };
  let context: WorkerContext | null = null;
  return {
    kind: { kind: 'worker', roles: [...config.roles] },
    storesCloseWithinMs: 3_000,
    ready: async () => readReadiness(startup, context),
    start: async (service, starting) => {
      context = workerContext(config, service);
      const { db, endpoints, installation, log } = context;
      startup.waitsFor = 'Postgres';
      await starting.retryWhileAway('Postgres')(async () => {
        await requireSchema(db);
        await installation.begin();
      });
      const { address, port } = starting.probes;
      await endpoints.announce(address, [port]);
      if (config.roles.has('upkeep')) fleetMetrics(context);
      startup.roles = [rolesOutsideQuarantine(context)];
      startup.waitsFor = null;
      log.info({ roles: [...config.roles], metricsPort: port }, 'the worker runs');
    },
    stopSteps: () => {
      startup.leaving = true;
      return context === null ? [] : drainSteps(startup.roles, context.calls);
    },
  };
}

type Startup = { waitsFor: Store | null; knewBots: boolean; leaving: boolean; roles: Running[] };

/**
 * Ready: the roles run and have known the bots. Nobody sends a worker requests, but rollouts wait for this and an alert
 * watches it. A store that is away later is a warning: the roles resume by themselves. A wrong clock is not mended by waiting.
 */
async function readReadiness(startup: Startup, context: WorkerContext | null): Promise<Readiness> {
  const warnings = context === null ? [] : [...(await context.readinessWarnings()), ...context.memory.warnings()];
  const { waitsFor, leaving, roles } = startup;
  const knowsBots = context?.directory.ready() ?? false;
  startup.knewBots ||= knowsBots;
  const reasons: string[] = [];
  if (leaving) reasons.push('the process is stopping');
  if (waitsFor !== null) reasons.push(`${waitsFor} has not answered since the start`);
  // Only a worker whose roles run can complete the list, so before that a missing list is no reason.
  else if (!startup.knewBots && context?.installation.quarantine() == null)
    reasons.push('the list of bots has not been read');
  reasons.push(...roles.flatMap((role) => role.refusal?.() ?? []));
  const quarantine = context?.installation.quarantine();
  if (quarantine != null) warnings.push(warningOf(quarantine));
  if (startup.knewBots && !knowsBots) warnings.push('the list of bots is being read again');
  return { ready: reasons.length === 0, reasons, warnings };
}

function drainSteps(roles: Running[], calls: WorkerContext['calls']): StopStep[] {
  return [
    {
      name: 'the roles',
      withinMs: ROLES_STOP_WITHIN_MS,
      stop: async () => void (await Promise.all(roles.map((role) => role.stop()))),
    },
    { name: 'the calls for the history', withinMs: CALLS_STORED_WITHIN_MS, stop: () => calls.drain() },
  ];
}
