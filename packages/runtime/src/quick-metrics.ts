/** A counter or histogram for hot paths, beside those of prom-client: to count is an addition. */
export type MetricFamily<Child> = {
  /** One child per combination of label values, in the order of labelNames; the same values give the same child. */
  of(...values: string[]): Child;
};

export type QuickCounter = { inc(by?: number): void };
export type QuickHistogram = { observe(value: number): void };

export type QuickOptions = { name: string; help: string; labelNames?: readonly string[] };

type Sample = { metricName: string; labels: Record<string, string | number>; value: number };
/** The interface that prom-client's registry expects of a metric. */
export type QuickMetric = {
  name: string;
  get(): Promise<{ name: string; help: string; type: string; values: Sample[]; aggregator: 'sum' }>;
};

export function quickCounter(options: QuickOptions): { metric: QuickMetric; series: MetricFamily<QuickCounter> } {
  const { name } = options;
  return metricFamily(options, 'counter', (labels) => {
    let value = 0;
    return {
      child: {
        inc: (by = 1) => {
          value += by;
        },
      },
      samples: () => [{ metricName: name, labels, value }],
    };
  });
}

/** `buckets` are ascending upper bounds. */
export function quickHistogram(options: QuickOptions & { buckets: readonly number[] }): {
  metric: QuickMetric;
  series: MetricFamily<QuickHistogram>;
} {
  const { name, buckets } = options;
  return metricFamily(options, 'histogram', (labels) => {
    const counts = new Float64Array(buckets.length + 1);
    let sum = 0;
    return {
      child: {
        observe: (value) => {
          let at = 0;
          while (at < buckets.length && value > buckets[at]!) at += 1;
          counts[at]! += 1;
          sum += value;
        },
      },
      samples: () => {
        let count = 0;
        const cumulated = [...counts].map((inBucket, at) => {
          count += inBucket;
          return { metricName: `${name}_bucket`, labels: { ...labels, le: buckets[at] ?? '+Inf' }, value: count };
        });
        return [
          ...cumulated,
          { metricName: `${name}_sum`, labels, value: sum },
          { metricName: `${name}_count`, labels, value: count },
        ];
      },
    };
  });
}

type Made<Child> = { child: Child; samples(): Sample[] };

function metricFamily<Child>(
  { name, help, labelNames = [] }: QuickOptions,
  type: string,
  make: (labels: Record<string, string>) => Made<Child>,
): { metric: QuickMetric; series: MetricFamily<Child> } {
  const made = new Map<string, Made<Child>>();
  const of = (...values: string[]): Child => {
    if (values.length !== labelNames.length) throw new Error(`${name} has the labels ${labelNames.join(', ')}`);
    const key = values.join('\n');
    const known = made.get(key) ?? make(Object.fromEntries(labelNames.map((label, at) => [label, values[at]!])));
    made.set(key, known);
    return known.child;
  };
  if (labelNames.length === 0) of();
  const get = async () => ({
    name,
    help,
    type,
    aggregator: 'sum' as const,
    values: [...made.values()].flatMap((one) => one.samples()),
  });
  return { metric: { name, get }, series: { of } };
}
