import type { ConnectionOptions, Job, Queue } from 'bullmq';
import { ResizableWorker } from './bullmq-internals.ts';
import type { RedisHandles } from './connect.ts';
import type { TurnData, TurnQueue } from './turn-queue.ts';

/** The locks of running turns, by the id of their job. */
export type Leases = Map<string, { renewedAtMs: number; abort: AbortController; ends: NodeJS.Timeout }>;

type Log = { warn(fields: object, message: string): void };

const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5_000;
const RECONNECT_PAUSE_MS = 1_000;

/** BullMQ's worker of one part of the queue, which renews these leases. */
export function openPartWorker(
  { redis, queue: { kind }, log }: { redis: RedisHandles; queue: Pick<TurnQueue, 'kind'>; log: Log },
  part: Queue<TurnData>,
  leases: Leases,
  take: (job: Job<TurnData>) => Promise<void>,
): ResizableWorker<TurnData> {
  const worker = new ResizableWorker(part.name, take, {
    connection: redis.ofQueues() as unknown as ConnectionOptions,
    prefix: part.opts.prefix!,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    runRetryDelay: RECONNECT_PAUSE_MS,
    // A stalled turn is one whose worker died. To give up on it would stop its bot.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  worker.runs = (id) => leases.has(id);
  worker.on('stalled', (id) => log.warn({ kind, job: id }, 'a turn was left behind by a worker that is gone'));
  worker.on('locksRenewed', ({ jobIds }) => {
    for (const id of jobIds) {
      const lease = leases.get(id);
      if (lease === undefined) continue;
      lease.renewedAtMs = performance.now();
      lease.ends.refresh();
    }
  });
  return worker;
}
