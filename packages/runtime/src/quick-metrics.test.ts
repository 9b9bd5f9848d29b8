import { expect, test } from '@jest/globals';
import { createMetrics } from './metrics.ts';

test('quick series are written as those of prom-client', async () => {
  const quick = createMetrics();
  const slow = createMetrics();
  const help = 'How long "it" took.';
  const buckets = [0.1, 1, 10];
  const timing = quick.quickHistogram({ name: 'seconds', help, labelNames: ['kind', 'end'], buckets });
  const calls = quick.quickCounter({ name: 'calls_total', help, labelNames: ['kind'] });
  quick.quickCounter({ name: 'plain_total', help }).of().inc();
  const timed = slow.histogram({ name: 'seconds', help, labelNames: ['kind', 'end'], buckets });
  const called = slow.counter({ name: 'calls_total', help, labelNames: ['kind'] });
  slow.counter({ name: 'plain_total', help }).inc();
  for (const value of [0.05, 0.1, 0.5, 10, 11]) {
    timing.of('a"b', 'ok').observe(value);
    timed.observe({ kind: 'a"b', end: 'ok' }, value);
  }
  calls.of('x').inc();
  calls.of('x').inc(4);
  called.inc({ kind: 'x' }, 5);
  // The order of labels within a line has no meaning.
  const lines = async (metrics: typeof quick) =>
    (await metrics.registry.metrics()).split('\n').map((line) => line.split(/[{},]/).sort().join());
  expect(await lines(quick)).toEqual(await lines(slow));
});

test('a series begins at 0 with its labels, and the same labels share it', async () => {
  const metrics = createMetrics();
  const calls = metrics.quickCounter({ name: 'calls_total', help: 'Calls', labelNames: ['end'] });
  expect(calls.of('ok')).toBe(calls.of('ok'));
  expect(await metrics.registry.metrics()).toContain('calls_total{end="ok"} 0');
  expect(() => calls.of('ok', 'more')).toThrow('has the labels end');
});
