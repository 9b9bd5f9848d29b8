import { type ConnectionOptions, Queue } from 'bullmq';
import { deduplicationKey, delayedKey, dueAtMs } from './bullmq-internals.ts';
import type { RedisHandles } from './connect.ts';
import { turnQueuePrefix } from './keys.ts';

/** What a worker does for one bot (for programs: one program; for history: one shard) at a time. */
export type TurnKind = 'polling' | 'push' | 'programs' | 'rules' | 'history';
export type TurnData = { subject: number };

/** Adds turns of one kind. Over all workers, at most one turn of a subject runs and one waits. */
export type TurnQueue = {
  kind: TurnKind;
  /** Only for reading its content; the methods below add turns. */
  queue: Queue<TurnData>;
  /** Runs a turn now, or once more after the running one; wakes a sleeping turn. */
  wake(subject: number): Promise<void>;
  wakeAll(subjects: number[]): Promise<void>;
  /** Makes sure that each subject has a turn; existing turns stay as they are, also sleeping ones. */
  ensure(subjects: number[]): Promise<void>;
  /** Runs the turn again at this time (ms), unless it is woken before. Only the owning turn may call this. */
  sleepUntil(subject: number, atMs: number): Promise<void>;
  /** How long (ms) the turn that waited longest could have run already; 0 when none waits. */
  oldestPendingMs(nowMs: number): Promise<number>;
  counts(): Promise<Record<string, number>>;
  workerCount(): Promise<number>;
  close(): Promise<void>;
};

const BULK = 200;
const ASKED_AT_ONCE = 500;
const turnJobOptions = { removeOnComplete: true, removeOnFail: true } as const;

/** The writing side of one kind's queue. Its calls fail within about a second when Redis is away. */
export function turnQueue(redis: RedisHandles, kind: TurnKind): TurnQueue {
  const queue = new Queue<TurnData>(kind, {
    connection: redis.commands as unknown as ConnectionOptions,
    prefix: turnQueuePrefix(kind),
    defaultJobOptions: turnJobOptions,
  });
  queue.on('error', () => {});
  const turn = (subject: number, delayMs: number, wakes: boolean) => ({
    name: kind,
    data: { subject },
    opts: {
      ...turnJobOptions,
      ...(delayMs > 0 ? { delay: delayMs } : {}),
      deduplication: wakes
        ? { id: String(subject), keepLastIfActive: true, reschedule: true }
        : { id: String(subject) },
    },
  });
  const add = async (turns: ReturnType<typeof turn>[]): Promise<void> => {
    if (turns.length === 1) await queue.add(turns[0]!.name, turns[0]!.data, turns[0]!.opts);
    // Thousands at once would block Redis and this process for longer than their callers wait.
    else for (let from = 0; from < turns.length; from += BULK) await queue.addBulk(turns.slice(from, from + BULK));
  };
  return {
    kind,
    queue,
    wake: (subject) => add([turn(subject, 0, true)]),
    wakeAll: (subjects) => add(subjects.map((subject) => turn(subject, 0, true))),
    ensure: async (subjects) => {
      for (let from = 0; from < subjects.length; from += ASKED_AT_ONCE) {
        const lacking = await withoutTurn(redis, queue, subjects.slice(from, from + ASKED_AT_ONCE));
        await add(lacking.map((subject) => turn(subject, 0, false)));
      }
    },
    sleepUntil: async (subject, atMs) => {
      const options = turn(subject, Math.max(1, Math.ceil(atMs - Date.now())), true).opts;
      await queue.add(
        kind,
        { subject },
        { ...options, deduplication: { id: String(subject), keepLastIfActive: true } },
      );
    },
    oldestPendingMs: async (nowMs) => {
      const [[waiting], [first]] = await Promise.all([
        queue.getJobs(['wait'], 0, 0, true),
        redis.runMany([['zrange', delayedKey(queue), 0, 0, 'WITHSCORES']]),
      ]);
      const [, score] = first as string[];
      const firstDueAtMs = score === undefined ? nowMs : dueAtMs(score);
      // A turn that was woken early still has its old delay.
      const readyAtMs = waiting === undefined ? nowMs : waiting.timestamp + (waiting.opts.delay ?? 0);
      return Math.max(0, nowMs - firstDueAtMs, nowMs - readyAtMs);
    },
    counts: () => queue.getJobCounts('active', 'waiting', 'delayed'),
    workerCount: () => queue.getWorkersCount(),
    close: () => queue.close(),
  };
}

/**
 * The subjects that may have no turn, found with two commands for hundreds of them. BullMQ skips a turn that exists,
 * but to try that for every bot every few seconds costs a script and an event each.
 */
async function withoutTurn(redis: RedisHandles, queue: Queue, subjects: number[]): Promise<number[]> {
  const jobs = await redis.commands.mget(subjects.map((subject) => deduplicationKey(queue, String(subject))));
  const named = jobs.flatMap((id) => (id === null ? [] : [queue.toKey(id)]));
  const alive = named.length === 0 ? 0 : await redis.commands.exists(named);
  // After a loss of data in Redis a key may outlive its job. Then all are added, and BullMQ skips those with a turn.
  return alive < named.length ? subjects : subjects.filter((_, at) => jobs[at] === null);
}
