import {
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  type Metric,
  Registry,
} from 'prom-client';
import {
  type MetricFamily,
  type QuickCounter,
  type QuickHistogram,
  type QuickMetric,
  type QuickOptions,
  quickCounter,
  quickHistogram,
} from './quick-metrics.ts';

/** The metrics of one process or one test. Nothing is registered globally. No label may grow with bots or chats. */
export type Metrics = {
  registry: Registry;
  /** `series` exist from the start, at 0: otherwise the first count would not show as an increase. */
  counter<T extends string>(
    options: Omit<CounterConfiguration<T>, 'registers'>,
    series?: Record<T, string>[],
  ): Counter<T>;
  histogram<T extends string>(options: Omit<HistogramConfiguration<T>, 'registers'>): Histogram<T>;
  gauge<T extends string>(options: Omit<GaugeConfiguration<T>, 'registers'>): Gauge<T>;
  /** For what is counted for each update, call, turn or command: 0.01 µs, where prom-client takes 0.2 to 0.8. */
  quickCounter(options: QuickOptions): MetricFamily<QuickCounter>;
  quickHistogram(options: QuickOptions & { buckets: readonly number[] }): MetricFamily<QuickHistogram>;
  /** A gauge that is read at every scrape. A gauge that cannot be read has no series in that scrape. */
  readGauge(options: GaugeOptions, read: () => Promise<Reading[]> | Reading[]): void;
};

type GaugeOptions = { name: string; help: string; labelNames?: string[] };

export type Reading = { labels?: Record<string, string>; value: number };

/** By default a timer wakes the process every 10 ms to measure the lag of its event loop: most of what an idle process did. */
const LAG_SAMPLED_EVERY_MS = 100;

/** The metrics of a process, with those of Node (memory, event loop, garbage collection) if wanted. */
export function createMetrics(options: { processMetrics?: boolean } = {}): Metrics {
  const registry = new Registry();
  if (options.processMetrics)
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLED_EVERY_MS });
  const registers = [registry];
  const register = <Series>(quick: { metric: QuickMetric; series: Series }): Series => {
    // The registry needs only a name and get(), but its type names its own classes.
    registry.registerMetric(quick.metric as unknown as Metric);
    return quick.series;
  };
  return {
    registry,
    counter: (options, series = []) => {
      const counter = new Counter({ ...options, registers });
      for (const labels of series) counter.inc(labels, 0);
      return counter;
    },
    histogram: (options) => new Histogram({ ...options, registers }),
    gauge: (options) => new Gauge({ ...options, registers }),
    quickCounter: (options) => register(quickCounter(options)),
    quickHistogram: (options) => register(quickHistogram(options)),
    readGauge: (options, read) => {
      const gauge: Gauge = new Gauge({ ...options, registers, collect: () => readInto(gauge, options, read) });
    },
  };
}

/** Never rejects, because prom-client would fail the whole scrape. */
async function readInto(
  gauge: Gauge,
  { labelNames = [] }: GaugeOptions,
  read: () => Promise<Reading[]> | Reading[],
): Promise<void> {
  const clear = () => {
    gauge.reset();
    // A gauge without labels is reset to 0, which nobody read.
    if (labelNames.length === 0) gauge.remove();
  };
  try {
    const readings = await read();
    clear();
    for (const { labels = {}, value } of readings) gauge.set(labels, value);
  } catch {
    clear();
  }
}
