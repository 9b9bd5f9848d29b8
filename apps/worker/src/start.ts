import { pendingMigrations } from '@flotilla/database/migrate.ts';
import { startProbeServer } from '@flotilla/runtime/probe-server.ts';
import type { WorkerConfig } from './config.ts';
import { createWorkerContext } from './context.ts';
import { startRoles } from './roles.ts';

/** Starts a worker. Rejects while a migration is pending, or when Redis or Postgres cannot be reached. */
export async function startWorker(config: WorkerConfig): Promise<{ metricsPort: number; stop(): Promise<void> }> {
  const context = await createWorkerContext(config);
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
        if (context.redis.commands.status !== 'ready') reasons.push('Redis cannot be reached');
        if (!context.directory.ready()) reasons.push('the list of bots is not loaded');
        return { ready: reasons.length === 0, reasons };
      },
    });
    const running = startRoles(context);
    context.log.info({ roles: [...config.roles], metricsPort: probes.port }, 'the worker runs');
    return {
      metricsPort: probes.port,
      stop: async () => {
        await Promise.all(running.map((role) => role.stop()));
        await probes.stop();
        await context.close();
      },
    };
  } catch (error) {
    await context.close();
    throw error;
  }
}
