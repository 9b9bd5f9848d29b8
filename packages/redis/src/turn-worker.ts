import { setTimeout as sleep } from 'node:timers/promises';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import { type ConnectionOptions, type Job, Worker } from 'bullmq';
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

/** A running turn's hold on its subject. */
export type TurnLease = {
  /** Aborts when the hold is in doubt (no renewal for 8 s) or the process stops. */
  signal: AbortSignal;
  /** False once the last renewal is too old to be sure that no other worker runs this turn. Ask before every send. */
  held(): boolean;
};

export type Turn = (subject: number, lease: TurnLease) => Promise<TurnOutcome>;

export type TurnWorker = {
  activeTurns(): number;
  /** Aborts the running turns, puts them back and closes, within about 10 s. */
  close(): Promise<void>;
};

type Log = { error(fields: object, message: string): void; warn(fields: object, message: string): void };

const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5_000;
const HELD_FOR_MS = 8_000;
const LEASE_CHECK_MS = 500;
const FAILED_TURN_PAUSE_MS = 1_000;
const RECONNECT_PAUSE_MS = 1_000;
const CLOSE_WITHIN_MS = 9_000;
/** A Redis that answers and refuses, as a full one does, would be asked again without a pause. */
const REFUSED_PAUSE_MS = 1_000;
const STOPPED = new Error('the worker stops');

/** Runs turns of one kind, up to `concurrency` at once, and never two of one subject, unless the lock was lost. */
export function turnWorker(options: {
  redis: RedisHandles;
  queue: TurnQueue;
  concurrency: number;
  run: Turn;
  log: Log;
}): TurnWorker {
  const { queue, log } = options;
  const kind: TurnKind = queue.kind;
  const leases = new Map<string, { renewedAtMs: number; abort: AbortController }>();

  let stopping = false;
  const warnOfRedis = throttledLog((error: unknown, leftOut) =>
    log.warn({ kind, reason: String(error), leftOut }, 'turns wait for Redis; upkeep revives them'),
  );

  const takeTurn = async (job: Job<TurnData>): Promise<void> => {
    const lease = { renewedAtMs: performance.now(), abort: new AbortController() };
    leases.set(job.id!, lease);
    // BullMQ may hand out one more turn while it closes.
    if (stopping) lease.abort.abort(STOPPED);
    const held = () => performance.now() - lease.renewedAtMs < HELD_FOR_MS && !lease.abort.signal.aborted;
    try {
      const outcome = await options.run(job.data.subject, { signal: lease.abort.signal, held });
      await continueTurn(queue, job.data.subject, outcome);
    } catch (error) {
      const { subject } = job.data;
      if (isRedisUnavailable(error)) warnOfRedis(error);
      else log.error({ kind, subject, err: error }, 'a turn failed; it is taken again in a second');
      await continueTurn(queue, subject, { next: 'at', atMs: Date.now() + FAILED_TURN_PAUSE_MS }).catch(warnOfRedis);
    } finally {
      leases.delete(job.id!);
    }
  };

  const worker = new PatientWorker(kind, takeTurn, {
    connection: options.redis.newBlocking() as unknown as ConnectionOptions,
    prefix: turnQueuePrefix(kind),
    concurrency: options.concurrency,
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
      if (lease) lease.renewedAtMs = performance.now();
    }
  });
  const watch = setInterval(() => {
    for (const lease of leases.values()) {
      if (performance.now() - lease.renewedAtMs > HELD_FOR_MS) lease.abort.abort(new Error('the turn lost its lock'));
    }
  }, LEASE_CHECK_MS);

  return {
    activeTurns: () => leases.size,
    close: async () => {
      stopping = true;
      const closing = worker.close();
      for (const lease of leases.values()) lease.abort.abort(STOPPED);
      await Promise.race([closing, sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
      clearInterval(watch);
    },
  };
}

/** BullMQ asks again without a pause after an error that does not come from the connection. */
class PatientWorker extends Worker<TurnData> {
  protected override async moveToActive(token: string, name?: string): Promise<Job<TurnData>> {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      await sleep(REFUSED_PAUSE_MS, undefined, { ref: false });
      throw error;
    }
  }
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
