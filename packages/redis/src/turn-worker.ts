import { setTimeout as sleep } from 'node:timers/promises';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import type { ConnectionOptions, Job } from 'bullmq';
import { ResizableWorker } from './bullmq-internals.ts';
import type { RedisHandles } from './connect.ts';
import { isRedisUnavailable } from './is-redis-unavailable.ts';
import { turnQueuePrefix } from './keys.ts';
import type { TurnData, TurnKind, TurnQueue } from './turn-queue.ts';

/** What follows a turn: nothing; another turn, at the end of the queue; or one at a time (ms). */
export type TurnOutcome =
  | { next: 'idle' }
  | { next: 'again' }
  | {
      next: 'at';
      atMs: number;
      /** Called after the sleep is stored; true when there is work already. It makes up for a wake lost before. */
      lookAgain?: () => Promise<boolean>;
    };

/** A running turn's ownership of its subject. */
export type TurnLease = {
  /** Aborts when the ownership is in doubt (no renewal for 8 s) or the process stops. */
  signal: AbortSignal;
  /** False once the last renewal is too old to be sure that no other worker runs this turn. Ask before every send. */
  ownsTurn(): boolean;
  /** Whether the worker may hold one more turn that has nothing to do. */
  mayHold(): boolean;
  /** Waits, and lets another turn run meanwhile; at the end it may have to wait for its own room again. */
  hold(wait: Promise<void>): Promise<void>;
};

export type Turn = (subject: number, lease: TurnLease) => Promise<TurnOutcome>;

export type TurnWorker = {
  activeTurns(): number;
  /** Aborts the running turns, puts them back and closes, within about 10 s. */
  close(): Promise<void>;
};

/** The turns that a process holds without work, of all kinds together. */
export type TurnsHeld = { count: number; atMost: number };

type Log = { error(fields: object, message: string): void; warn(fields: object, message: string): void };

const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5_000;
const OWNED_FOR_MS = 8_000;
const FAILED_TURN_PAUSE_MS = 1_000;
const RECONNECT_PAUSE_MS = 1_000;
const CLOSE_WITHIN_MS = 9_000;
/**
 * BullMQ fetches jobs one by one, as many as it may run at once, before it starts the first of them. Hundreds would wait
 * for each other, and their locks, which are renewed from the start on, would end meanwhile.
 */
const FETCHED_AHEAD = 16;
/** Each aborted turn asks Redis, so thousands of them stop some at a time. */
const STOPPED_AT_ONCE = 200;
const STOP_PAUSE_MS = 20;
const STOPPED = new Error('the worker stops');

/**
 * Runs turns of one kind, up to `concurrency` at once, and never two of one subject, unless the lock was lost. Turns that
 * have nothing to do are held beside these.
 */
export function turnWorker(options: {
  redis: RedisHandles;
  queue: TurnQueue;
  concurrency: number;
  turnsHeld?: TurnsHeld;
  run: Turn;
  log: Log;
}): TurnWorker {
  const { queue, log, concurrency, turnsHeld = { count: 0, atMost: 0 } } = options;
  const kind: TurnKind = queue.kind;
  const leases = new Map<string, { renewedAtMs: number; abort: AbortController; ends: NodeJS.Timeout }>();

  const room = runningTurns(concurrency);
  let heldHere = 0;
  let stopping = false;
  const warnOfRedis = throttledLog((error: unknown, leftOut) =>
    log.warn({ kind, reason: String(error), leftOut }, 'turns wait for Redis; upkeep revives them'),
  );

  const takeTurn = async (job: Job<TurnData>): Promise<void> => {
    const abort = new AbortController();
    const ends = setTimeout(() => abort.abort(new Error('the turn lost its lock')), OWNED_FOR_MS).unref();
    const lease = { renewedAtMs: performance.now(), abort, ends };
    leases.set(job.id!, lease);
    allowTurns();
    // BullMQ may hand out one more turn while it closes.
    if (stopping) lease.abort.abort(STOPPED);
    const ownsTurn = () => performance.now() - lease.renewedAtMs < OWNED_FOR_MS && !lease.abort.signal.aborted;
    const hold = async (wait: Promise<void>) => {
      heldHere += 1;
      turnsHeld.count += 1;
      allowTurns();
      room.leave();
      await wait;
      heldHere -= 1;
      turnsHeld.count -= 1;
      allowTurns();
      await room.enter();
    };
    // While many turns run, others wait for their room: then a turn that has nothing to do ends.
    const mayHold = () => turnsHeld.count < turnsHeld.atMost && leases.size - heldHere <= concurrency / 2;
    await room.enter();
    try {
      const outcome = await options.run(job.data.subject, { signal: lease.abort.signal, ownsTurn, mayHold, hold });
      await continueTurn(queue, job.data.subject, outcome);
    } catch (error) {
      const { subject } = job.data;
      if (isRedisUnavailable(error)) warnOfRedis(error);
      else log.error({ kind, subject, err: error }, 'a turn failed; it is taken again in a second');
      await continueTurn(queue, subject, { next: 'at', atMs: Date.now() + FAILED_TURN_PAUSE_MS }).catch(warnOfRedis);
    } finally {
      room.leave();
      clearTimeout(lease.ends);
      leases.delete(job.id!);
      allowTurns();
    }
  };
  const allowTurns = () => worker.allow(Math.min(concurrency + heldHere, leases.size + FETCHED_AHEAD));

  const worker = new ResizableWorker(kind, takeTurn, {
    connection: options.redis.ofQueues() as unknown as ConnectionOptions,
    prefix: turnQueuePrefix(kind),
    concurrency: Math.min(concurrency, FETCHED_AHEAD),
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    runRetryDelay: RECONNECT_PAUSE_MS,
    // A stalled turn is one whose worker died. To give up on it would stop its bot.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    ...turnCleanUp,
  });
  worker.on(
    'error',
    throttledLog((error: Error, leftOut) =>
      log.warn({ kind, reason: error.message, leftOut }, 'the queue of turns reported an error'),
    ),
  );
  worker.on('stalled', (id) => log.warn({ kind, job: id }, 'a turn was left behind by a worker that is gone'));
  worker.on('locksRenewed', ({ jobIds }) => {
    for (const id of jobIds) {
      const lease = leases.get(id);
      if (lease === undefined) continue;
      lease.renewedAtMs = performance.now();
      lease.ends.refresh();
    }
  });

  return {
    activeTurns: () => leases.size,
    close: async () => {
      stopping = true;
      const closing = worker.close();
      const late = sleep(CLOSE_WITHIN_MS, undefined, { ref: false });
      let aborted = 0;
      for (const lease of [...leases.values()]) {
        lease.abort.abort(STOPPED);
        aborted += 1;
        if (aborted % STOPPED_AT_ONCE === 0) await sleep(STOP_PAUSE_MS);
      }
      await Promise.race([closing, late]);
    },
  };
}

/** Room for this many turns to run at once; the others enter in the order in which they came. */
function runningTurns(atMost: number) {
  const waiting = new Set<() => void>();
  let running = 0;
  return {
    enter: async (): Promise<void> => {
      if (running < atMost) running += 1;
      else await new Promise<void>((resolve) => waiting.add(resolve));
    },
    leave: () => {
      const [next] = waiting;
      if (next === undefined) {
        running -= 1;
      } else {
        waiting.delete(next);
        next();
      }
    },
  };
}

const turnCleanUp = {
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
} as const;

async function continueTurn(queue: TurnQueue, subject: number, outcome: TurnOutcome): Promise<void> {
  switch (outcome.next) {
    case 'idle':
      return;
    case 'again':
      return queue.wake(subject);
    case 'at':
      await queue.sleepUntil(subject, outcome.atMs);
      if (await outcome.lookAgain?.()) await queue.wake(subject);
  }
}
