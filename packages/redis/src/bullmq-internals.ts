import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, type Queue, WaitingError, Worker } from 'bullmq';

// Parts of BullMQ that turns need and its documentation does not offer. bullmq-internals.test.ts fails when an upgrade takes one of
// these away.

/** The pause after Redis refuses a command, as a full Redis does; BullMQ would ask again at once. */
const REFUSED_PAUSE_MS = 1_000;
/** Thousands of locks in one script would block Redis for tens of milliseconds. */
const RENEWED_AT_ONCE = 200;
const DELAYED_SCORE_PER_MS = 0x1000;

/** A worker whose limit of jobs may rise while all that it allows run. */
export class ResizableWorker<Data> extends Worker<Data> {
  /** False for a job that has ended: then it has no lock that could be renewed. */
  runs: (jobId: string) => boolean = () => true;

  /**
   * How many jobs may run at once. BullMQ would notice a higher limit only when the next job ends, so its loop is woken as
   * `resume` does it.
   */
  allow(concurrency: number): void {
    const isMore = concurrency > this.concurrency;
    this.concurrency = concurrency;
    if (!isMore) return;
    const { mainLoopQueue } = this as unknown as { mainLoopQueue: { add(nothing: Promise<undefined>): void } | null };
    mainLoopQueue?.add(Promise.resolve(undefined));
  }

  override async extendJobLocks(jobIds: string[], tokens: string[], durationMs: number): Promise<string[]> {
    const failed: string[] = [];
    for (let from = 0; from < jobIds.length; from += RENEWED_AT_ONCE) {
      const to = from + RENEWED_AT_ONCE;
      failed.push(...(await super.extendJobLocks(jobIds.slice(from, to), tokens.slice(from, to), durationMs)));
    }
    return failed.filter(this.runs);
  }

  /** BullMQ asks again without a pause after an error that does not come from the connection. */
  protected override async moveToActive(token: string, name?: string): Promise<Job<Data>> {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      await sleep(REFUSED_PAUSE_MS, undefined, { ref: false });
      throw error;
    }
  }
}

/** A job that throws it stays as it is, and its lock expires: then any worker takes it again. */
export function leftBehind(): Error {
  return new WaitingError('the job is left to the next worker');
}

/** The key that holds the id of the job with this deduplication id. BullMQ reads one at a time. */
export function deduplicationKey(queue: Queue, deduplicationId: string): string {
  return queue.toKey(`de:${deduplicationId}`);
}

/** The key of the set of delayed jobs. */
export function delayedKey(queue: Queue): string {
  return queue.toKey('delayed');
}

/** When a delayed job is due (ms), from its score: the time is in the upper bits. */
export function dueAtMs(score: string): number {
  return Number(score) / DELAYED_SCORE_PER_MS;
}
