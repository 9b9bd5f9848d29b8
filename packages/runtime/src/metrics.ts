import {
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from 'prom-client';

/** One process's (or one test's) metrics; nothing is registered globally. */
export type Metrics = {
  registry: Registry;
  counter<T extends string>(options: Omit<CounterConfiguration<T>, 'registers'>): Counter<T>;
  histogram<T extends string>(options: Omit<HistogramConfiguration<T>, 'registers'>): Histogram<T>;
  gauge<T extends string>(options: Omit<GaugeConfiguration<T>, 'registers'>): Gauge<T>;
};

/** Metrics of a process, with Node's own (memory, event loop, garbage collection) when asked for. */
export function createMetrics(options: { processMetrics?: boolean } = {}): Metrics {
  const registry = new Registry();
  if (options.processMetrics) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    counter: (options) => new Counter({ ...options, registers }),
    histogram: (options) => new Histogram({ ...options, registers }),
    gauge: (options) => new Gauge({ ...options, registers }),
  };
}
