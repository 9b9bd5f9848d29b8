import { type ConnectionOptions, Queue } from 'bullmq';
import { deduplicationKey, delayedKey, dueAtMs } from './bullmq-internals.ts';
import type { RedisHandles } from './connect.ts';
import { QUEUE_SHARDS, turnQueuePrefix } from './keys.ts';
import type { KeyCommand } from './redis-commands.ts';

/** The work for one bot (for programs: one program; for history: one shard) at a time. */
export type TurnKind = 'polling' | 'push' | 'programs' | 'rules' | 'outbox' | 'history';
export type TurnData = { subject: number };

/** Adds turns of one kind. Over all workers, at most one turn of a subject runs and one waits. */
export type TurnQueue = {
  kind: TurnKind;
  /**
   * Over a cluster the queue has parts on different masters, else one. Only for reading their content, and for workers; the
   * methods below add turns.
   */
  parts: Queue<TurnData>[];
  /** The part that has the turns of this subject. */
  partOf(subject: number): Queue<TurnData>;
  /** The parts that hold turns now. */
  partsInUse(): Promise<Queue<TurnData>[]>;
  /** Runs a turn now, or once more after the running one; wakes a sleeping turn. */
  wake(subject: number): Promise<void>;
  wakeAll(subjects: number[]): Promise<void>;
  /** Makes sure that each subject has a turn; existing turns stay as they are, also ones that sleep, for no longer than this (ms). */
  ensure(subjects: number[], longestSleepMs?: number): Promise<void>;
  /** Runs the turn again at this time (ms), unless it is woken before. Only the owning turn may call this. */
  sleepUntil(subject: number, atMs: number): Promise<void>;
  /** How long (ms) the turn that waited longest could have run already; 0 when none waits. */
  oldestPendingMs(nowMs: number): Promise<number>;
  /** Over all parts. */
  counts(): Promise<Record<'active' | 'waiting' | 'delayed', number>>;
  close(): Promise<void>;
};

const BULK = 200;
const ASKED_AT_ONCE = 500;
/** BullMQ keeps its events for readers that we do not have; its default is 10,000 in each part. */
const EVENTS_KEPT = 10;
const turnJobOptions = { removeOnComplete: true, removeOnFail: true } as const;

/** The writing side of one kind's queue. Its calls fail within about a second when Redis is away. */
export function turnQueue(redis: RedisHandles, kind: TurnKind): TurnQueue {
  const parts = openParts(redis, kind);
  const partOf = (subject: number) => parts[subject % parts.length]!;
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
  const add = async (part: Queue<TurnData>, subjects: number[], wakes: boolean): Promise<void> => {
    const turns = subjects.map((subject) => turn(subject, 0, wakes));
    if (turns.length === 1) await part.add(turns[0]!.name, turns[0]!.data, turns[0]!.opts);
    // Thousands at once would block Redis and this process for longer than their callers wait.
    else for (let from = 0; from < turns.length; from += BULK) await part.addBulk(turns.slice(from, from + BULK));
  };
  return {
    kind,
    parts,
    partOf,
    partsInUse: async () => {
      const asked = parts.map(({ toKey }): KeyCommand => ['exists', toKey('wait'), toKey('active'), toKey('delayed')]);
      const found = await redis.runMany(asked);
      return parts.filter((_, at) => Number(found[at]) > 0);
    },
    wake: (subject) => add(partOf(subject), [subject], true),
    wakeAll: async (subjects) => {
      for (const [part, some] of Map.groupBy(subjects, partOf)) await add(part, some, true);
    },
    ensure: async (subjects, longestSleepMs = Number.POSITIVE_INFINITY) => {
      for (const [part, some] of Map.groupBy(subjects, partOf)) {
        for (let from = 0; from < some.length; from += ASKED_AT_ONCE) {
          const { without, asleep } = await lackingTurns(
            redis,
            part,
            some.slice(from, from + ASKED_AT_ONCE),
            longestSleepMs,
          );
          await add(part, without, false);
          await add(part, asleep, true);
        }
      }
    },
    sleepUntil: async (subject, atMs) => {
      const options = turn(subject, Math.max(1, Math.ceil(atMs - Date.now())), true).opts;
      await partOf(subject).add(
        kind,
        { subject },
        { ...options, deduplication: { id: String(subject), keepLastIfActive: true } },
      );
    },
    oldestPendingMs: async (nowMs) =>
      Math.max(...(await Promise.all(parts.map((part) => oldestPendingMs(redis, part, nowMs))))),
    counts: async () => {
      const counted = await Promise.all(parts.map((part) => part.getJobCounts('active', 'waiting', 'delayed')));
      const sumOf = (state: string) => counted.reduce((sum, counts) => sum + (counts[state] ?? 0), 0);
      return { active: sumOf('active'), waiting: sumOf('waiting'), delayed: sumOf('delayed') };
    },
    close: async () => void (await Promise.all(parts.map((part) => part.close()))),
  };
}

/**
 * The history has one turn for each shard, however many bots there are: one part is enough. The first part is that of a
 * single server, so its turns go on when the keys move to a cluster.
 */
function openParts(redis: RedisHandles, kind: TurnKind): Queue<TurnData>[] {
  const isSplit = redis.isCluster && kind !== 'history';
  const shards = isSplit ? QUEUE_SHARDS : QUEUE_SHARDS.slice(0, 1);
  return shards.map((shard, at) => {
    const queue = new Queue<TurnData>(at === 0 ? kind : `${kind}-${at}`, {
      connection: redis.commands as unknown as ConnectionOptions,
      prefix: turnQueuePrefix(shard),
      defaultJobOptions: turnJobOptions,
      streams: { events: { maxLen: EVENTS_KEPT } },
    });
    return queue.on('error', () => {});
  });
}

async function oldestPendingMs(redis: RedisHandles, part: Queue<TurnData>, nowMs: number): Promise<number> {
  const [[waiting], [first]] = await Promise.all([
    part.getJobs(['wait'], 0, 0, true),
    redis.runMany([['zrange', delayedKey(part), 0, 0, 'WITHSCORES']]),
  ]);
  const [, score] = first as string[];
  const firstDueAtMs = score === undefined ? nowMs : dueAtMs(score);
  // A turn that was woken early still has its old delay.
  const readyAtMs = waiting === undefined ? nowMs : waiting.timestamp + (waiting.opts.delay ?? 0);
  return Math.max(0, nowMs - firstDueAtMs, nowMs - readyAtMs);
}

/**
 * The subjects that may have no turn, and those whose turn sleeps longer, found with three commands for hundreds of them. BullMQ
 * skips a turn that exists, but to try that for every bot every few seconds costs a script and an event each.
 */
async function lackingTurns(
  redis: RedisHandles,
  part: Queue,
  subjects: number[],
  longestSleepMs: number,
): Promise<{ without: number[]; asleep: number[] }> {
  const jobs = await redis.commands.mget(subjects.map((subject) => deduplicationKey(part, String(subject))));
  const ids = jobs.filter((id) => id !== null);
  if (ids.length === 0) return { without: subjects, asleep: [] };
  const alive = await redis.commands.exists(ids.map((id) => part.toKey(id)));
  // After a loss of data in Redis a key may outlive its job. Then all are added, and BullMQ skips those with a turn.
  if (alive < ids.length) return { without: subjects, asleep: [] };
  const without = subjects.filter((_, at) => jobs[at] === null);
  if (longestSleepMs === Number.POSITIVE_INFINITY) return { without, asleep: [] };
  const scores = await redis.commands.zmscore(delayedKey(part), ...ids);
  const latestMs = Date.now() + longestSleepMs;
  const sleeping = new Set(ids.filter((_, at) => scores[at] != null && dueAtMs(scores[at]) > latestMs));
  return { without, asleep: subjects.filter((_, at) => jobs[at] !== null && sleeping.has(jobs[at]!)) };
}
