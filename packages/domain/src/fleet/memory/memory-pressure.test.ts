import { describe, expect, test } from '@jest/globals';
import { type MemoryPressure, pressureAt, stopsIntake } from './memory-pressure.ts';

/** The pressures of a course of shares. */
const course = (...shares: number[]): MemoryPressure[] => {
  let pressure: MemoryPressure = 'relaxed';
  return shares.map((share) => {
    pressure = pressureAt(share, pressure);
    return pressure;
  });
};

describe('memory pressure', () => {
  test('rises at 60, 80 and 90 %, however far at once', () => {
    expect(course(0.59, 0.6, 0.79, 0.8, 0.89, 0.9)).toEqual(['relaxed', 'tight', 'tight', 'short', 'short', 'scarce']);
    expect(course(0.1, 0.99)).toEqual(['relaxed', 'scarce']);
  });

  test('falls 5 % lower than it rose, so that it does not flutter', () => {
    expect(course(0.95, 0.86, 0.84, 0.76, 0.74, 0.56, 0.54)).toEqual([
      'scarce',
      'scarce',
      'short',
      'short',
      'tight',
      'tight',
      'relaxed',
    ]);
    expect(course(0.95, 0.3, 0.59)).toEqual(['scarce', 'relaxed', 'relaxed']);
  });

  test('stops bots by what their slowest reader leaves in memory, and without it only by their quickest', () => {
    const deadBackend = { quickest: 0, slowest: 50_000 };
    expect(stopsIntake('relaxed', deadBackend)).toBe(false);
    expect(stopsIntake('tight', deadBackend)).toBe(true);
    expect(stopsIntake('tight', { quickest: 1_999, slowest: 1_999 })).toBe(false);
    expect(stopsIntake('short', { quickest: 0, slowest: 0 })).toBe(true);
    expect(stopsIntake('relaxed', { quickest: 100_000, slowest: 100_000 })).toBe(true);
  });
});
