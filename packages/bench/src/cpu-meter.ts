import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { usageOf } from './process-usage.ts';

/** Processor time per update (µs). Unlike elapsed time, it hardly depends on what else the machine does. */
export type Cost = { perSecond: number; workerUs: number; redisUs: number };

/** Measures the processor time of a worker and of Redis over a stretch of work. */
export function cpuMeter(workerPid: number, redis: RedisHandles) {
  const part = { name: 'worker', pids: () => [workerPid] };
  const worker = (): number => usageOf(part).cpuSeconds * 1e6;
  const ofRedis = async (): Promise<number> => {
    const info = await redis.commands.info('cpu');
    const seconds = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(info)?.[1]);
    return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1e6;
  };
  return {
    /** The cost of each update while `work` ran. `work` returns the updates per second. */
    perUpdate: async (updates: number, work: () => Promise<number>): Promise<Cost> => {
      const [workerBefore, redisBefore] = [worker(), await ofRedis()];
      const perSecond = await work();
      return {
        perSecond,
        workerUs: (worker() - workerBefore) / updates,
        redisUs: ((await ofRedis()) - redisBefore) / updates,
      };
    },
  };
}
