import type { Metrics } from '@flotilla/runtime/metrics.ts';

/** Counts what became of the calls that bots made through this process, and how many wait. */
export function callMetrics(metrics: Metrics, waiting: () => number) {
  const outcomes = metrics.quickCounter({
    name: 'flotilla_proxy_captured_calls_total',
    help: 'Bot calls for the history: stored; lost (made but not kept); unanswered (the reply never came, so nobody knows).',
    labelNames: ['outcome'],
  });
  metrics.readGauge(
    {
      name: 'flotilla_captured_calls_waiting',
      help: 'Captured calls that wait in this process for Redis; beyond 50,000 or 32 MiB further ones are lost.',
    },
    () => [{ value: waiting() }],
  );
  return { stored: outcomes.of('stored'), lost: outcomes.of('lost'), unanswered: outcomes.of('unanswered') };
}
