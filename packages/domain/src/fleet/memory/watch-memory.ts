import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { readMemory, shareOf } from '@flotilla/redis/memory.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';
import { describePressure, type MemoryPressure, pressureAt } from './memory-pressure.ts';

/** How this process sees the memory of Redis. */
export type MemoryWatch = {
  pressure(): MemoryPressure;
  /** The share of its memory that the fullest master uses: 0 to 1. */
  share(): number;
  /** Warnings for the readiness probe; empty while there is room. */
  warnings(): string[];
  /** Counts bytes that are being written, so that a burst between two measurements cannot run past the limits. */
  wrote(bytes: number): void;
  close(): void;
};

const MEASURE_EVERY_MS = 1000;
/** A process that wrote this share of the limit since the last measurement measures again at once. */
const UNMEASURED_AT_MOST = 0.01;

/** Measures every second in each process, so that no process depends on another one. */
export async function watchMemory(deps: {
  redis: RedisHandles;
  limitBytes: number | null;
  metrics: Metrics;
  log: Logger;
}): Promise<MemoryWatch> {
  let measured = { usedBytes: 0, limitBytes: Number.POSITIVE_INFINITY };
  let unmeasuredBytes = 0;
  /**
   * `agreed` follows from measurements alone, so all processes come to the same value. `pressure` also counts bytes
   * written since.
   */
  let agreed: MemoryPressure = 'relaxed';
  let pressure: MemoryPressure = 'relaxed';
  let measuring: Promise<void> | null = null;

  const share = (): number =>
    shareOf({ usedBytes: measured.usedBytes + unmeasuredBytes, limitBytes: measured.limitBytes });
  const judge = (): void => {
    const before = pressure;
    pressure = pressureAt(share(), agreed);
    if (pressure === before) return;
    const usedShare = Number(share().toFixed(3));
    if (pressure === 'relaxed') deps.log.info({ usedShare }, 'Redis has room again');
    else deps.log.warn({ usedShare, pressure }, 'Redis fills up');
  };
  const measure = async (): Promise<void> => {
    const writtenBefore = unmeasuredBytes;
    measured = await readMemory(deps.redis, deps.limitBytes);
    unmeasuredBytes -= writtenBefore;
    agreed = pressureAt(shareOf(measured), agreed);
    judge();
  };
  /** When Redis does not answer, the last measurement stays in force: nothing can be written then anyway. */
  const tryMeasure = (): Promise<void> => {
    measuring ??= measure()
      .catch(() => undefined)
      .finally(() => {
        measuring = null;
      });
    return measuring;
  };

  deps.metrics.gauge({
    name: 'flotilla_redis_memory_share',
    help: 'How full the fullest Redis master is, 0 to 1; intake slows at 0.6 and stops at 0.8.',
    collect() {
      this.set(share());
    },
  });
  await tryMeasure();
  const timer = setInterval(tryMeasure, MEASURE_EVERY_MS);
  return {
    pressure: () => pressure,
    share,
    warnings: () => describePressure(pressure, share()),
    wrote: (bytes) => {
      unmeasuredBytes += bytes;
      if (unmeasuredBytes < measured.limitBytes * UNMEASURED_AT_MOST) return;
      judge();
      void tryMeasure();
    },
    close: () => clearInterval(timer),
  };
}
