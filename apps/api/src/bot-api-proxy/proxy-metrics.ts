import type { Metrics } from '@flotilla/runtime/metrics.ts';

export type ProxyMetrics = {
  /** Notes a call that has ended. */
  call(kind: CallKind, status: number, begunAtMs: number): void;
  pollBegan(): void;
  pollEnded(): void;
};

/** What was done with a call: answered here, passed on, passed on and captured, or a file. */
export type CallKind = 'intercepted' | 'polled' | 'passed' | 'captured' | 'file' | 'refused';

type Series = { count: { inc(): void }; seconds: { observe(value: number): void } };

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function proxyMetrics(metrics: Metrics): ProxyMetrics {
  const labelNames = ['kind', 'status'];
  const count = metrics.counter({ name: 'flotilla_proxy_calls_total', help: 'Bot API calls by outcome.', labelNames });
  const seconds = metrics.histogram({
    name: 'flotilla_proxy_call_seconds',
    help: 'Seconds from the head of a Bot API call to the end of its answer; polls include their waiting.',
    labelNames,
    buckets: BUCKETS_S,
  });
  const polls = metrics.gauge({ name: 'flotilla_proxy_waiting_polls', help: 'getUpdates calls that are held open.' });
  /** Looking the labels up costs more than the counting, on every call. */
  const known = new Map<string, Series>();
  const seriesOf = (kind: CallKind, status: string): Series => {
    const key = kind + status;
    let series = known.get(key);
    if (series === undefined) {
      series = { count: count.labels(kind, status), seconds: seconds.labels(kind, status) };
      known.set(key, series);
    }
    return series;
  };
  return {
    call(kind, status, begunAtMs) {
      const series = seriesOf(kind, statusClass(status));
      series.count.inc();
      series.seconds.observe((performance.now() - begunAtMs) / 1000);
    },
    pollBegan: () => polls.inc(),
    pollEnded: () => polls.dec(),
  };
}

function statusClass(status: number): string {
  if (status >= 200 && status < 300) return '2xx';
  if (status === 429) return '429';
  if (status === 499) return 'client_gone';
  return `${Math.floor(status / 100)}xx`;
}
