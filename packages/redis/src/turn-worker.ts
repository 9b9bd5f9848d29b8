import { setTimeout as sleep } from 'node:timers/promises';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import type { Job, Queue } from 'bullmq';
import { leftBehind, type ResizableWorker } from './bullmq-internals.ts';
import type { RedisHandles } from './connect.ts';
import { isRedisUnavailable } from './is-redis-unavailable.ts';
import { type Leases, openPartWorker } from './part-worker.ts';
import type { TurnData, TurnKind, TurnQueue } from './turn-queue.ts';
import { moreTurns, type PartLoad, runningTurns } from './turn-room.ts';

/** The step after a turn: nothing; another turn, at the end of the queue; or one at a time (ms). */
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
  /** True if the worker may hold one more turn that has nothing to do. */
  mayHold(): boolean;
  /** Waits, and lets another turn run meanwhile; at the end it may have to wait for its own room again. */
  hold(wait: Promise<void>): Promise<void>;
};

export type Turn = (subject: number, lease: TurnLease) => Promise<TurnOutcome>;

export type TurnWorker = {
  /** Subjects that may have turns from now on. */
  serve(subjects: number[]): void;
  /** Aborts the running turns, puts them back and closes, within about 10 s. */
  close(): Promise<void>;
};

/** The turns that a process holds without work, of all kinds together. */
export type TurnsHeld = { count: number; atMost: number };

type Log = { error(fields: object, message: string): void; warn(fields: object, message: string): void };

/** Turns may wait in a part for subjects that were deleted, or that this process does not know yet. */
const LOOK_EVERY_MS = 20_000;
const OWNED_FOR_MS = 8_000;
const FAILED_TURN_PAUSE_MS = 1_000;
const STORE_AGAIN_MS = 200;
const CLOSE_WITHIN_MS = 9_000;
/** Each aborted turn asks Redis, so thousands of them stop some at a time. */
const STOPPED_AT_ONCE = 200;
const STOP_PAUSE_MS = 20;
const STOPPED = new Error('the worker stops');

/** One part of the queue, as this worker takes its turns. */
type Part = { worker: ResizableWorker<TurnData>; leases: Leases; load: PartLoad };

/**
 * Runs turns of one kind, up to `concurrency` at once, and never two of one subject, unless the lock was lost. Turns that
 * have nothing to do are held beside these. A part of the queue costs a connection once it has subjects or turns.
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
  const parts = new Map<Queue<TurnData>, Part>();
  const room = runningTurns(concurrency);
  let stopping = false;
  const warnOfRedis = throttledLog((error: unknown, leftOut) =>
    log.warn({ kind, reason: String(error), leftOut }, 'turns wait for Redis; upkeep revives them'),
  );
  const warnOfQueue = throttledLog((error: Error, leftOut) =>
    log.warn({ kind, reason: error.message, leftOut }, 'the queue of turns reported an error'),
  );

  const running = () => [...parts.values()].reduce((sum, { load }) => sum + load.running, 0);
  const allowTurns = () => {
    const free = concurrency - running();
    for (const { worker, load } of parts.values()) {
      worker.allow(load.running + load.held + moreTurns(load, { concurrency, free, parts: parts.size }));
    }
  };
  const afterFailure = (subject: number, error: unknown): TurnOutcome => {
    if (isRedisUnavailable(error)) warnOfRedis(error);
    else log.error({ kind, subject, err: error }, 'a turn failed; it is taken again in a second');
    return { next: 'at', atMs: Date.now() + FAILED_TURN_PAUSE_MS };
  };
  /** Until the next turn is stored, this one does not end: the subject would have none. */
  const storeNext = async (subject: number, outcome: TurnOutcome, isOurs: () => boolean): Promise<void> => {
    while (true) {
      try {
        return await continueTurn(queue, subject, outcome, isOurs());
      } catch (error) {
        warnOfRedis(error);
        if (!isOurs()) throw leftBehind();
        await sleep(STORE_AGAIN_MS);
      }
    }
  };
  const takeTurn = async ({ leases, load }: Part, job: Job<TurnData>): Promise<void> => {
    const abort = new AbortController();
    const ends = setTimeout(() => abort.abort(new Error('the turn lost its lock')), OWNED_FOR_MS).unref();
    const lease = { renewedAtMs: performance.now(), abort, ends };
    leases.set(job.id!, lease);
    load.running += 1;
    load.waiting += 1;
    // BullMQ may hand out one more turn while it closes.
    if (stopping) lease.abort.abort(STOPPED);
    const isOurs = () => performance.now() - lease.renewedAtMs < OWNED_FOR_MS;
    const ownsTurn = () => isOurs() && !lease.abort.signal.aborted;
    const change = (held: 1 | -1) => {
      load.running -= held;
      load.held += held;
      turnsHeld.count += held;
      allowTurns();
    };
    const hold = async (wait: Promise<void>) => {
      change(1);
      room.leave();
      await wait;
      change(-1);
      await room.enter();
    };
    // While many turns run, others wait for their room: then a turn that has nothing to do ends.
    const mayHold = () => turnsHeld.count < turnsHeld.atMost && running() <= concurrency / 2;
    await room.enter();
    load.waiting -= 1;
    allowTurns();
    const { subject } = job.data;
    try {
      const outcome = await options
        .run(subject, { signal: lease.abort.signal, ownsTurn, mayHold, hold })
        .catch((error: unknown) => afterFailure(subject, error));
      await storeNext(subject, outcome, isOurs);
    } finally {
      room.leave();
      clearTimeout(lease.ends);
      leases.delete(job.id!);
      load.running -= 1;
      allowTurns();
    }
  };
  const serve = (wanted: Queue<TurnData>[]) => {
    for (const part of wanted) {
      if (stopping || parts.has(part)) continue;
      const leases: Leases = new Map();
      const worker = openPartWorker(options, part, leases, (job) => takeTurn(taken, job)).on('error', warnOfQueue);
      const taken: Part = { worker, leases, load: { running: 0, held: 0, waiting: 0 } };
      parts.set(part, taken);
      allowTurns();
    }
  };
  const look = () => {
    if (parts.size < queue.parts.length) queue.partsInUse().then(serve, warnOfRedis);
  };
  look();
  const looking = setInterval(look, LOOK_EVERY_MS).unref();

  return {
    serve: (subjects) => serve(subjects.map(queue.partOf)),
    close: async () => {
      stopping = true;
      clearInterval(looking);
      const closing = Promise.all([...parts.values()].map(({ worker }) => worker.close()));
      const late = sleep(CLOSE_WITHIN_MS, undefined, { ref: false });
      let aborted = 0;
      for (const lease of [...parts.values()].flatMap(({ leases }) => [...leases.values()])) {
        lease.abort.abort(STOPPED);
        aborted += 1;
        if (aborted % STOPPED_AT_ONCE === 0) await sleep(STOP_PAUSE_MS);
      }
      await Promise.race([closing, late]);
    },
  };
}

async function continueTurn(queue: TurnQueue, subject: number, outcome: TurnOutcome, isOurs: boolean): Promise<void> {
  switch (outcome.next) {
    case 'idle':
      return;
    case 'again':
      return queue.wake(subject);
    case 'at':
      // The sleep would take the place of a wake that the next owner has not seen yet.
      if (!isOurs) return queue.wake(subject);
      await queue.sleepUntil(subject, outcome.atMs);
      if (await outcome.lookAgain?.()) await queue.wake(subject);
  }
}
