import { expect, test } from '@jest/globals';
import { createMetrics } from './metrics.ts';

test('a gauge that cannot be read has no series in that scrape, and the others are there', async () => {
  const metrics = createMetrics();
  let isAway = false;
  const read = async (value: number) => {
    if (isAway) throw new Error('away');
    return value;
  };
  metrics.readGauge({ name: 'plain', help: 'Without labels' }, async () => [{ value: await read(7) }]);
  metrics.readGauge({ name: 'labelled', help: 'With labels', labelNames: ['of'] }, async () => [
    { labels: { of: 'all' }, value: await read(8) },
  ]);
  metrics.readGauge({ name: 'other', help: 'Another' }, () => [{ value: 9 }]);
  const series = async () => (await metrics.registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line));
  expect(await series()).toEqual(['plain 7', 'labelled{of="all"} 8', 'other 9']);
  isAway = true;
  expect(await series()).toEqual(['other 9']);
  isAway = false;
  expect(await series()).toEqual(['plain 7', 'labelled{of="all"} 8', 'other 9']);
});

test('a gauge has no series for labels that were not read any more', async () => {
  const metrics = createMetrics();
  let kinds = ['push', 'rules'];
  metrics.readGauge({ name: 'turns', help: 'Turns', labelNames: ['kind'] }, () =>
    kinds.map((kind) => ({ labels: { kind }, value: 1 })),
  );
  expect(await metrics.registry.metrics()).toContain('turns{kind="rules"} 1');
  kinds = ['push'];
  expect(await metrics.registry.metrics()).not.toContain('rules');
});

test('the named series of a counter begin at 0', async () => {
  const metrics = createMetrics();
  metrics.counter({ name: 'calls_total', help: 'Calls', labelNames: ['end'] }, [{ end: 'ok' }]);
  expect(await metrics.registry.metrics()).toContain('calls_total{end="ok"} 0');
});
