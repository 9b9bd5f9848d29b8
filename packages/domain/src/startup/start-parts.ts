import { type StopStep, stopInOrder } from '@flotilla/runtime/lifecycle.ts';
import { createLogger, type Logger } from '@flotilla/runtime/logger.ts';
import type { Readiness } from '@flotilla/runtime/probe-server.ts';
import { type Kinds, nameOf, openService, type Service } from './open-service.ts';
import type { ServiceConfig } from './service-config.ts';
import { type StartingService, startService } from './start-service.ts';

/** An api or a worker, in a process of its own or with the other one in the same process. */
export type Part = {
  kind: Kinds[number];
  ready(): Promise<Readiness>;
  /** Runs when the start has to wait for Redis, before the second try. */
  whileWaiting?(): Promise<void>;
  start(service: Service, starting: StartingService): Promise<void>;
  /** Rejects if the part fails after its start. */
  failed?: Promise<never>;
  /** How to stop, however far the start has come. */
  stopSteps(): StopStep[];
  storesCloseWithinMs: number;
};

export type RunningParts = { service: Service; metricsPort: number; failed: Promise<never>; stop(): Promise<void> };

/**
 * Starts the parts of one process, which share its stores, connections, metrics and probes. While a store is away it is unready and
 * waits. Rejects if a migration is pending, a port is taken, a store refuses us or `stopping` aborts.
 */
export async function startParts(
  parts: Part[],
  { config, log, stopping }: { config: ServiceConfig; log?: Logger | undefined; stopping?: AbortSignal | undefined },
): Promise<RunningParts> {
  const kinds = parts.map(({ kind }) => kind);
  const logger = log ?? createLogger({ name: nameOf(kinds), level: config.logLevel });
  const ended = new AbortController();
  const signal = stopping === undefined ? ended.signal : AbortSignal.any([stopping, ended.signal]);
  const ready = () => readinessOf(parts);
  const starting = await startService({ log: logger, config, ready, stopping: signal });
  let service: Service | null = null;
  const stop = async () => {
    ended.abort(new Error('the process stops'));
    const withinMs = Math.min(...parts.map(({ storesCloseWithinMs }) => storesCloseWithinMs));
    await Promise.all(parts.map((part) => stopInOrder(logger, part.stopSteps())));
    await starting.stop(service && { withinMs, close: service.close });
  };
  try {
    const wait = async () => void (await Promise.all(parts.map((part) => part.whileWaiting?.())));
    const retry = starting.retryWhileAway('Redis', wait);
    const opened = await openService(kinds, config, { log: logger, metrics: starting.metrics, retry });
    service = opened;
    await Promise.all(parts.map((part) => part.start(opened, starting)));
    const failed = Promise.race(parts.flatMap((part) => part.failed ?? []));
    failed.catch(() => undefined);
    return { service: opened, metricsPort: starting.probes.port, failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function readinessOf(parts: Part[]): Promise<Readiness> {
  const all = await Promise.all(parts.map((part) => part.ready()));
  const unique = (texts: string[]) => [...new Set(texts)];
  return {
    ready: all.every(({ ready }) => ready),
    reasons: unique(all.flatMap(({ reasons }) => reasons)),
    warnings: unique(all.flatMap(({ warnings = [] }) => warnings)),
  };
}
