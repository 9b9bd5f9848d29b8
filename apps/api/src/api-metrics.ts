import type { ChannelWaiters } from '@flotilla/redis/channel-waiters.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';

/** What an api process counts beside the proxy's calls; no label grows with bots or chats. */
export type ApiMetrics = ReturnType<typeof apiMetrics>;

const BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function apiMetrics(metrics: Metrics, waiters: ChannelWaiters) {
  metrics.gauge({
    name: 'flotilla_waiting_polls',
    help: 'Polls of this process that read or wait for updates, by REST or getUpdates.',
    collect() {
      this.set(waiters.count());
    },
  });
  return {
    requestSeconds: metrics.histogram({
      name: 'flotilla_rest_request_seconds',
      help: 'Seconds from the head of a REST request to the end of its answer; polls include their waiting.',
      labelNames: ['operation', 'status'],
      buckets: BUCKETS_S,
    }),
    accepted: metrics.counter({
      name: 'flotilla_updates_accepted_total',
      help: 'Updates taken into the log, by how they came in.',
      labelNames: ['intake'],
    }),
    pulled: metrics.counter({
      name: 'flotilla_updates_pulled_total',
      help: 'Updates handed to pollers; one that is asked for again counts again.',
      labelNames: ['by'],
    }),
  };
}
