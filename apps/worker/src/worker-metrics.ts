import type { Metrics } from '@flotilla/runtime/metrics.ts';

/** What a worker counts; no label grows with bots or chats. */
export type WorkerMetrics = ReturnType<typeof workerMetrics>;

const LAG_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600];

export function workerMetrics(metrics: Metrics) {
  return {
    accepted: metrics.counter({
      name: 'flotilla_updates_accepted_total',
      help: 'Updates taken into the log, by how they came in.',
      labelNames: ['intake'],
    }),
    duplicates: metrics.counter({
      name: 'flotilla_updates_duplicate_total',
      help: 'Updates the platform handed over again.',
    }),
    pollFailures: metrics.counter({
      name: 'flotilla_polling_failures_total',
      help: 'getUpdates calls to the platform that failed.',
    }),
    pushed: metrics.counter({
      name: 'flotilla_updates_pushed_total',
      help: 'Attempts to deliver an update to its backend, by outcome.',
      labelNames: ['outcome'],
    }),
    pushLag: metrics.histogram({
      name: 'flotilla_push_lag_seconds',
      help: 'From acceptance of an update to its delivery to the backend.',
      buckets: LAG_BUCKETS_S,
    }),
    routed: metrics.counter({
      name: 'flotilla_updates_routed_total',
      help: 'Updates (or albums) that rules turns handled, by how that ended.',
      labelNames: ['outcome'],
    }),
    routingLag: metrics.histogram({
      name: 'flotilla_routing_lag_seconds',
      help: 'From acceptance of an update to the end of its routing, pacing included.',
      buckets: LAG_BUCKETS_S,
    }),
    turns: metrics.counter({
      name: 'flotilla_turns_total',
      help: 'Turns run, by kind and by how they ended.',
      labelNames: ['kind', 'next'],
    }),
    activeTurns: metrics.gauge({
      name: 'flotilla_active_turns',
      help: 'Turns that run in this process, by kind.',
      labelNames: ['kind'],
    }),
    oldestPending: metrics.gauge({
      name: 'flotilla_oldest_pending_seconds',
      help: 'Age of the oldest work mark that no turn has cleared, by kind.',
      labelNames: ['kind'],
    }),
    historyRows: metrics.counter({
      name: 'flotilla_history_entries_total',
      help: 'Entries of the history stream put into Postgres.',
    }),
    historyLag: metrics.histogram({
      name: 'flotilla_history_lag_seconds',
      help: 'From the entry of an update or call to its row in Postgres.',
      buckets: LAG_BUCKETS_S,
    }),
  };
}
