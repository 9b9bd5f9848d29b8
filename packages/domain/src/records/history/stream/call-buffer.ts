import { randomBytes } from 'node:crypto';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import { capturedMethod } from '@flotilla/telegram/captured-methods.ts';
import type { Bot } from '../../../fleet/bots/bot.ts';
import { type AppendUntilKeptDeps, appendUntilKept } from './append-until-kept.ts';
import type { BufferedCall, CapturedCall } from './captured-call.ts';

/** Holds captured calls until Redis has them, so that callers do not wait and an outage of Redis loses none. */
export type CallBuffer = {
  /** False while the buffer is full and takes no further calls. */
  hasRoom(): boolean;
  /** Queues a call for its bot's history stream, behind the bot's earlier ones. Returns at once and never throws. */
  keep(bot: Bot, call: CapturedCall): void;
  /** Counts a call that was made and is not kept. */
  countLost(call: LostCall): void;
  /** Counts a call whose answer from the platform did not come, so that nobody knows whether it was made. */
  countUnanswered(): void;
  /** Resolves when nothing waits. */
  drain(): Promise<void>;
  /** Gives up what still waits. */
  close(): void;
};

export type LostCall = { botId: number; method: string; reason: string };

type BufferDeps = AppendUntilKeptDeps & {
  clock: Clock;
  metrics: Metrics;
  /** Hears of each call, also of those for which there is no room. */
  sent: { note(botId: number, call: Pick<CapturedCall, 'method' | 'params' | 'result'>): void };
};
type Limits = { calls: number; bytes: number; tries: number };
type Waiting = { bot: Bot; call: BufferedCall; bytes: number };

/** How much may wait while Redis is away, and how often a batch is tried while it answers: at least ten minutes. */
const LIMITS: Limits = { calls: 50_000, bytes: 32 * 1024 * 1024, tries: 2_400 };
const BUFFER_OVERHEAD_BYTES = 200;
/** In one script they hold Redis for a millisecond or two. */
const BATCH_AT_MOST = 200;

/**
 * Writes a bot's calls one batch after the other, each with all calls that came meanwhile. A batch without an answer is
 * tried again unchanged, and the bot's later calls wait behind it, which keeps their order.
 */
export function callBuffer(deps: BufferDeps, limits: Limits = LIMITS): CallBuffer {
  const process = randomBytes(6).toString('hex');
  /** By bot, oldest call first. There is an entry while workOff runs for the bot. */
  const queues = new Map<number, Waiting[]>();
  let [calls, bytes, lastId, lastBatch, closed] = [0, 0, 0, 0, false];
  let drained: (() => void)[] = [];
  const outcomes = callMetrics(deps.metrics, () => calls);
  const append = appendUntilKept(deps, { tries: limits.tries, isClosed: () => closed, waiting: () => calls });

  const warnOfLoss = throttledLog((lost: LostCall, leftOut) =>
    deps.log.warn({ ...lost, leftOut }, 'a call could not be kept in the history'),
  );
  const countLost = (lost: LostCall): void => {
    outcomes.lost.inc();
    warnOfLoss(lost);
  };
  const remove = (waiting: Waiting[]): void => {
    calls -= waiting.length;
    bytes -= waiting.reduce((sum, one) => sum + one.bytes, 0);
    if (calls > 0) return;
    for (const resolve of drained) resolve();
    drained = [];
  };

  /** When Redis refuses a batch for its content, each call is tried alone to find the faulty one. */
  const store = async (waiting: Waiting[]): Promise<void> => {
    const newest = waiting.at(-1);
    if (newest === undefined) return;
    const { bot } = newest;
    lastBatch += 1;
    try {
      const kept = await append(bot, { process, number: lastBatch, calls: waiting.map(({ call }) => call) });
      if (kept) outcomes.stored.inc(waiting.length);
    } catch (error) {
      if (waiting.length > 1 && !isRedisUnavailable(error)) for (const one of waiting) await store([one]);
      else for (const { call } of waiting) countLost({ botId: bot.id, method: call.method, reason: String(error) });
    }
  };
  const workOff = async (botId: number, queue: Waiting[]): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.slice(0, BATCH_AT_MOST);
      await store(batch);
      if (closed) return;
      queue.splice(0, batch.length);
      remove(batch);
    }
    queues.delete(botId);
  };

  const hasRoom = (): boolean => calls < limits.calls && bytes < limits.bytes;
  return {
    hasRoom,
    keep: (bot, call) => {
      deps.sent.note(bot.id, call);
      if (closed || !hasRoom()) return countLost({ botId: bot.id, method: call.method, reason: 'too many calls wait' });
      const { method, params, result, actor, incomplete, paced } = call;
      lastId += 1;
      const captureKey = leavesAudit(method) ? `call:${process}:${lastId}` : '';
      const atMs = call.atMs ?? deps.clock.nowMs();
      const seen: BufferedCall = { method, params, result, actor, incomplete, paced, atMs, captureKey };
      const waiting = { bot, call: seen, bytes: sizeOf(call) };
      calls += 1;
      bytes += waiting.bytes;
      const queue = queues.get(bot.id);
      if (queue !== undefined) {
        queue.push(waiting);
      } else {
        const begun = [waiting];
        queues.set(bot.id, begun);
        void workOff(bot.id, begun);
      }
    },
    countLost,
    countUnanswered: () => outcomes.unanswered.inc(),
    drain: async () => {
      if (calls > 0) await new Promise<void>((resolve) => drained.push(resolve));
    },
    close: () => {
      closed = true;
      if (calls === 0) return;
      outcomes.lost.inc(calls);
      deps.log.warn({ calls }, 'calls that waited for Redis are missing from the history: the process stops');
    },
  };
}

function leavesAudit(method: string): boolean {
  const effect = capturedMethod(method)?.effect;
  return effect === 'audit' || effect === 'deletion';
}

function sizeOf({ params, result }: CapturedCall): number {
  return Object.entries(params).reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    result.length + BUFFER_OVERHEAD_BYTES,
  );
}

/** Counts what became of the calls that bots made through this process, and how many wait. */
function callMetrics(metrics: Metrics, waiting: () => number) {
  const outcomes = metrics.quickCounter({
    name: 'flotilla_proxy_captured_calls_total',
    help: 'Bot calls for the history: stored; lost (made but not kept); unanswered (the reply never came, so nobody knows).',
    labelNames: ['outcome'],
  });
  metrics.readGauge(
    {
      name: 'flotilla_captured_calls_waiting',
      help: 'Captured calls that wait in this process for Redis; beyond 50,000 or 32 MiB further ones are lost.',
    },
    () => [{ value: waiting() }],
  );
  return { stored: outcomes.of('stored'), lost: outcomes.of('lost'), unanswered: outcomes.of('unanswered') };
}
