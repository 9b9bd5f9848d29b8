import { isRefusedLogin, isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import { stopInOrder } from '@flotilla/runtime/lifecycle.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { createMetrics, type Metrics } from '@flotilla/runtime/metrics.ts';
import { type Readiness, startProbeServer } from '@flotilla/runtime/probe-server.ts';
import { type Retry, retryWhileAway } from '@flotilla/runtime/retry-while-away.ts';
import type { ServiceConfig } from './service-config.ts';

export type Store = 'Redis' | 'Postgres';

/** A process that runs and answers its probes while it opens the parts it serves with. */
export type StartingService = {
  metrics: Metrics;
  /** The address of probes and metrics. */
  probes: { address: string; port: number };
  /**
   * Waits for a store that is away and logs that once. `onWait` runs before the second try. Faults that waiting does
   * not end are thrown: a refused login or certificate, a pending migration.
   */
  retryWhileAway(store: Store, onWait?: () => void | Promise<void>): Retry;
  /** Stops the probes and closes the stores; what hangs is given up. Never rejects. */
  stop(stores: { withinMs: number; close(): Promise<void> } | null): Promise<void>;
};

/** Serves probes and metrics before anything else is open. Rejects when their port is taken. */
export async function startService(options: {
  log: Logger;
  config: Pick<ServiceConfig, 'metricsHost' | 'metricsPort' | 'metricsToken'>;
  ready(): Promise<Readiness>;
  /** Ends the waiting for a store. */
  stopping: AbortSignal | undefined;
}): Promise<StartingService> {
  const { log, config, ready, stopping } = options;
  const metrics = createMetrics({ processMetrics: true });
  const probes = await startProbeServer({
    port: config.metricsPort,
    host: config.metricsHost,
    token: config.metricsToken,
    metrics,
    live: () => true,
    ready,
  });
  return {
    metrics,
    probes,
    retryWhileAway: (store, onWait) =>
      retryWhileAway({
        isAway: (error) => isRedisUnavailable(error) || (isUnavailable(error) && !isRefusedLogin(error)),
        signal: stopping,
        onWait: async (error) => {
          log.warn({ reason: String(error) }, `waiting for ${store}`);
          await onWait?.();
        },
      }),
    stop: (stores) =>
      stopInOrder(log, [
        { name: 'the probes', withinMs: 500, stop: () => probes.stop() },
        ...(stores === null ? [] : [{ name: 'Postgres and Redis', withinMs: stores.withinMs, stop: stores.close }]),
      ]),
  };
}
