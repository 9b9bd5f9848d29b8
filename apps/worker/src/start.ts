import { requireSchema } from '@flotilla/database/require-schema.ts';
import { startPatience } from '@flotilla/domain/startup/start-patience.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { createMetrics } from '@flotilla/runtime/metrics.ts';
import { type Readiness, startProbeServer } from '@flotilla/runtime/probe-server.ts';
import { stopInOrder } from '@flotilla/runtime/stop-in-order.ts';
import type { WorkerConfig } from './config.ts';
import { createWorkerContext, type WorkerContext } from './context.ts';
import { startRoles } from './roles.ts';

/** Turns are given back within 10 s; roles that wait for something that hangs are left behind. */
const ROLES_STOP_WITHIN_MS = 12_000;
const CALLS_STORED_WITHIN_MS = 5_000;

/**
 * Starts a worker, which waits, unready, for a Redis or a Postgres that is away. Rejects when a migration is pending, a port
 * is taken, a store refuses us, or `stopping` aborts first.
 */
export async function startWorker(
  config: WorkerConfig,
  stopping?: AbortSignal,
): Promise<{ metricsPort: number; stop(): Promise<void> }> {
  const log = createLogger({ name: 'worker', level: config.logLevel });
  const metrics = createMetrics({ processMetrics: true });
  let context: WorkerContext | null = null;
  const startup: Startup = { waitsFor: 'Redis', leaving: false };
  const probes = await startProbeServer({
    port: config.metricsPort,
    host: config.host,
    metrics,
    live: () => true,
    ready: async () => readReadiness(startup, context),
  });
  try {
    const patience = startPatience({ log, signal: stopping }, 'Redis');
    context = await createWorkerContext(config, log, { metrics, patience });
    startup.waitsFor = 'Postgres';
    const { db } = context;
    await startPatience({ log, signal: stopping }, 'Postgres')(() => requireSchema(db));
    await context.endpoints.announce(probes.address, [probes.port]);
    const running = startRoles(context);
    startup.waitsFor = null;
    log.info({ roles: [...config.roles], metricsPort: probes.port }, 'the worker runs');
    const stop = stopOf({ context, running, probes });
    return {
      metricsPort: probes.port,
      stop: async () => {
        startup.leaving = true;
        await stop();
      },
    };
  } catch (error) {
    await context?.close();
    await probes.stop();
    throw error;
  }
}

type Startup = { waitsFor: 'Redis' | 'Postgres' | null; leaving: boolean };

function readReadiness({ waitsFor, leaving }: Startup, context: WorkerContext | null): Readiness {
  const reasons: string[] = [];
  if (leaving) reasons.push('the process is stopping');
  if (waitsFor !== null) reasons.push(`${waitsFor} has not answered since the start`);
  if (context === null) return { ready: false, reasons };
  if (context.redis.commands.status !== 'ready') reasons.push('Redis cannot be reached');
  // A worker that has no roles yet cannot mend the list itself.
  if (waitsFor === null && !context.directory.ready()) reasons.push('the list of bots is not loaded');
  return { ready: reasons.length === 0, reasons, warnings: context.memory.warnings() };
}

type Parts = { context: WorkerContext; running: ReturnType<typeof startRoles>; probes: { stop(): Promise<void> } };

function stopOf({ context, running, probes }: Parts): () => Promise<void> {
  return () =>
    stopInOrder(context.log, [
      {
        name: 'the roles',
        withinMs: ROLES_STOP_WITHIN_MS,
        stop: async () => void (await Promise.all(running.map((role) => role.stop()))),
      },
      { name: 'the calls for the history', withinMs: CALLS_STORED_WITHIN_MS, stop: () => context.calls.drain() },
      { name: 'the probes', withinMs: 500, stop: () => probes.stop() },
      { name: 'Postgres and Redis', withinMs: 3000, stop: () => context.close() },
    ]);
}
