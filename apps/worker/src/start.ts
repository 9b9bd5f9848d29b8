import { pendingMigrations } from '@flotilla/database/migrate.ts';
import { startProbeServer } from '@flotilla/runtime/probe-server.ts';
import { stopInOrder } from '@flotilla/runtime/stop-in-order.ts';
import type { WorkerConfig } from './config.ts';
import { createWorkerContext } from './context.ts';
import { startRoles } from './roles.ts';

/** Turns are given back within 10 s; roles that wait for something that hangs are left behind. */
const ROLES_STOP_WITHIN_MS = 12_000;
const CALLS_STORED_WITHIN_MS = 5_000;

/** Starts a worker. Rejects while a migration is pending, or when Redis or Postgres cannot be reached. */
export async function startWorker(config: WorkerConfig): Promise<{ metricsPort: number; stop(): Promise<void> }> {
  const context = await createWorkerContext(config);
  let leaving = false;
  try {
    const pending = await pendingMigrations(context.db);
    if (pending.length > 0) {
      throw new Error(
        `The database lacks ${pending.length} migration(s) (${pending.join(', ')}); run: npm run migrate`,
      );
    }
    const probes = await startProbeServer({
      port: config.metricsPort,
      host: config.host,
      metrics: context.metrics,
      live: () => true,
      ready: async () => {
        const reasons = [];
        if (leaving) reasons.push('the process is stopping');
        if (context.redis.commands.status !== 'ready') reasons.push('Redis cannot be reached');
        if (!context.directory.ready()) reasons.push('the list of bots is not loaded');
        return { ready: reasons.length === 0, reasons, warnings: context.memory.warnings() };
      },
    });
    await context.endpoints.announce(probes.address, [probes.port]);
    const running = startRoles(context);
    context.log.info({ roles: [...config.roles], metricsPort: probes.port }, 'the worker runs');
    return {
      metricsPort: probes.port,
      stop: async () => {
        leaving = true;
        await stopInOrder(context.log, [
          {
            name: 'the roles',
            withinMs: ROLES_STOP_WITHIN_MS,
            stop: async () => void (await Promise.all(running.map((role) => role.stop()))),
          },
          { name: 'the calls for the history', withinMs: CALLS_STORED_WITHIN_MS, stop: () => context.calls.drain() },
          { name: 'the probes', withinMs: 500, stop: () => probes.stop() },
          { name: 'Postgres and Redis', withinMs: 3000, stop: () => context.close() },
        ]);
      },
    };
  } catch (error) {
    await context.close();
    throw error;
  }
}
