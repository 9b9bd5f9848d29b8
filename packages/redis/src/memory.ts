import type { RedisHandles } from './connect.ts';

export type RedisMemory = {
  usedBytes: number;
  /** The most that it may use. */
  limitBytes: number;
};

/**
 * How full the fullest master is. Its limit is the lower one of `maxmemory` and the operator's own limit; without both,
 * the memory of its machine. Rejects when a master does not answer.
 */
export async function readMemory(redis: RedisHandles, ownLimitBytes: number | null): Promise<RedisMemory> {
  const reports = await Promise.all(redis.servers().map((server) => server.info('memory')));
  const servers = reports.map((report) => memoryOf(report, ownLimitBytes));
  return servers.reduce((fullest, server) => (shareOf(server) > shareOf(fullest) ? server : fullest));
}

/** From 0 to 1. */
export function shareOf({ usedBytes, limitBytes }: RedisMemory): number {
  return usedBytes / limitBytes;
}

/**
 * Reads the text of INFO memory. Buffers for replicas and the append-only file do not count, as for `maxmemory` itself.
 */
export function memoryOf(report: string, ownLimitBytes: number | null): RedisMemory {
  const field = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(report)?.[1] ?? 0);
  const limits = [field('maxmemory'), ownLimitBytes ?? 0].filter((bytes) => bytes > 0);
  return {
    usedBytes: field('used_memory') - field('mem_not_counted_for_evict'),
    limitBytes: limits.length > 0 ? Math.min(...limits) : field('total_system_memory') || Number.POSITIVE_INFINITY,
  };
}
