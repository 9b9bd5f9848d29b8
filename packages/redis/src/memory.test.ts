import { describe, expect, test } from '@jest/globals';
import { memoryOf, shareOf } from './memory.ts';

const report = (fields: Record<string, number>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join('');
const MB = 1_000_000;

describe('the memory of a Redis', () => {
  const full = { used_memory: 60 * MB, used_memory_peak: 90 * MB, total_system_memory: 8000 * MB };

  test('counts against maxmemory or the own limit, whichever is less', () => {
    const limited = report({ ...full, maxmemory: 100 * MB });
    expect(shareOf(memoryOf(limited, null))).toBe(0.6);
    expect(shareOf(memoryOf(limited, 80 * MB))).toBe(0.75);
    expect(shareOf(memoryOf(limited, 400 * MB))).toBe(0.6);
    expect(shareOf(memoryOf(report({ ...full, maxmemory: 0 }), 120 * MB))).toBe(0.5);
  });

  test('counts against that of its machine where nothing is set', () => {
    expect(memoryOf(report({ ...full, maxmemory: 0 }), null).limitBytes).toBe(8000 * MB);
  });

  test('leaves out what maxmemory leaves out', () => {
    const buffering = report({ ...full, maxmemory: 100 * MB, mem_not_counted_for_evict: 10 * MB });
    expect(shareOf(memoryOf(buffering, null))).toBe(0.5);
  });
});
