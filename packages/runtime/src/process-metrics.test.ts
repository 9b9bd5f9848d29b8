import { totalmem } from 'node:os';
import { expect, test } from '@jest/globals';
import { createMetrics } from './metrics.ts';
import { describeProcess, memoryLimitBytes } from './process-metrics.ts';

const GIB = 2 ** 30;

test('the limit of the container counts, and without one the memory of the machine', () => {
  expect(memoryLimitBytes(GIB, 8 * GIB)).toBe(GIB);
  // The values that control groups report without a limit.
  for (const none of [0, 2 ** 64, 2 ** 63 - 4096]) expect(memoryLimitBytes(none, 8 * GIB)).toBe(8 * GIB);
});

test('every process tells its limit, which is never above what the machine has', async () => {
  const metrics = createMetrics();
  describeProcess(metrics, [{ kind: 'worker', roles: ['push'] }]);
  const told = /^flotilla_memory_limit_bytes (\S+)$/m.exec(await metrics.registry.metrics())?.[1];
  expect(Number(told)).toBeGreaterThan(0);
  expect(Number(told)).toBeLessThanOrEqual(totalmem());
});
