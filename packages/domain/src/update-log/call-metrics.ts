import type { Metrics } from '@flotilla/runtime/metrics.ts';

/** Counts what became of the calls that bots made through this process, and how many wait. */
export function callMetrics(metrics: Metrics, waiting: () => number) {
  const outcomes = metrics.quickCounter({
    name: 'flotilla_proxy_captured_calls_total',
    help: 'Calls to be kept in the history, by what became of them.',
    labelNames: ['outcome'],
  });
  metrics.readGauge(
    { name: 'flotilla_captured_calls_waiting', help: 'Calls of bots that are still to be put on the history stream.' },
    () => [{ value: waiting() }],
  );
  return { stored: outcomes.of('stored'), lost: outcomes.of('lost'), unanswered: outcomes.of('unanswered') };
}
