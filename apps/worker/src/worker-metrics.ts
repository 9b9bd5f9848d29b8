import { type ReasonCode, reasonCode } from '@flotilla/contract/deliveries.ts';
import type { Outcome } from '@flotilla/domain/delivery/lanes/claimed-unit.ts';
import type { SharedLimiter } from '@flotilla/domain/delivery/lanes/shared-limiter.ts';
import type { MeasureOutbox } from '@flotilla/domain/delivery/outbox/turn-deps.ts';
import type { MeasurePush } from '@flotilla/domain/delivery/push/deliver-update.ts';
import type { Delivery } from '@flotilla/domain/delivery/push/send-to-backend.ts';
import type { MeasureRouting } from '@flotilla/domain/delivery/routing-rules/rules-turn.ts';
import type { TurnKind } from '@flotilla/redis/turn-queue.ts';
import type { TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';
import type { QuickCounter } from '@flotilla/runtime/quick-metrics.ts';

/** The metrics of a worker. No label grows with bots or chats. */
export type WorkerMetrics = ReturnType<typeof workerMetrics>;

const LAG_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600];
const REQUEST_BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];

export function workerMetrics(metrics: Metrics, requestLimiter: SharedLimiter, accepted: QuickCounter) {
  const { counter, quickCounter } = metrics;
  return {
    ...pushMetrics(metrics, requestLimiter),
    accepted,
    duplicates: quickCounter({
      name: 'flotilla_updates_duplicate_total',
      help: 'Updates the platform handed over again.',
    }).of(),
    pollFailures: counter({
      name: 'flotilla_polling_failures_total',
      help: 'getUpdates calls to the platform that failed.',
    }),
    ...routingMetrics(metrics),
    ...outboxMetrics(metrics),
    turns: turnMetrics(metrics),
    ...historyMetrics(metrics),
    ...upkeepMetrics(metrics),
  };
}

const SEND_OUTCOMES = ['sent', 'failed', 'again', 'in_doubt', 'held'] as const;

function outboxMetrics({ quickCounter }: Metrics): MeasureOutbox {
  const sends = quickCounter({
    name: 'flotilla_outbox_sends_total',
    help: 'Attempts to send an entry of the outbox: sent, failed (refused for good), again (tried later), in_doubt (no answer), held (its author lost the right).',
    labelNames: ['outcome'],
  });
  for (const outcome of SEND_OUTCOMES) sends.of(outcome);
  return { attempted: (outcome) => sends.of(outcome).inc() };
}

const ROUTING_OUTCOMES: Outcome['outcome'][] = [
  'delivered',
  'dropped',
  'retry',
  'waits',
  'dead',
  'crashed',
  'returned',
];

function routingMetrics({ quickCounter, quickHistogram }: Metrics): MeasureRouting {
  const handled = quickCounter({
    name: 'flotilla_updates_routed_total',
    help: 'Updates or albums by how their handling by rules ended: delivered, dropped (by the first rule that matched), retry (failed), waits (for its pace or a store), dead, crashed, returned (not begun).',
    labelNames: ['outcome'],
  });
  const lag = quickHistogram({
    name: 'flotilla_routing_lag_seconds',
    help: 'Seconds from the acceptance of an update to the end of its routing, pacing included.',
    buckets: LAG_BUCKETS_S,
  }).of();
  for (const outcome of ROUTING_OUTCOMES) handled.of(outcome);
  return {
    routed: (outcome, tookMs) => {
      handled.of(outcome).inc();
      if (outcome === 'delivered') lag.observe(tookMs / 1000);
    },
  };
}

function pushMetrics({ quickCounter, quickHistogram, readGauge }: Metrics, requestLimiter: SharedLimiter): MeasurePush {
  const outcomes: Delivery['outcome'][] = ['delivered', 'refused', 'failed', 'aborted'];
  const pushed = quickCounter({
    name: 'flotilla_updates_pushed_total',
    help: 'Delivery attempts: delivered, refused (answer other than 2xx), failed (no answer), aborted (by us).',
    labelNames: ['outcome'],
  });
  const seconds = quickHistogram({
    name: 'flotilla_push_request_seconds',
    help: 'Seconds from sending an update to the end of the answer of its backend, by outcome.',
    labelNames: ['outcome'],
    buckets: REQUEST_BUCKETS_S,
  });
  const lag = quickHistogram({
    name: 'flotilla_push_lag_seconds',
    help: 'Seconds from the acceptance of an update to its delivery to the backend.',
    buckets: LAG_BUCKETS_S,
  }).of();
  const attempts = quickHistogram({
    name: 'flotilla_push_attempts',
    help: 'Attempts that a delivered update took.',
    buckets: [1, 2, 3, 5, 8, 13, 21],
  }).of();
  readGauge({ name: 'flotilla_push_requests_in_flight', help: 'Requests to backends in flight.' }, () => [
    { value: requestLimiter.taken() },
  ]);
  const of = Object.fromEntries(
    outcomes.map((outcome) => [outcome, { count: pushed.of(outcome), seconds: seconds.of(outcome) }]),
  ) as Record<Delivery['outcome'], { count: QuickCounter; seconds: { observe(value: number): void } }>;
  return {
    sent: (outcome, tookMs) => {
      of[outcome].count.inc();
      of[outcome].seconds.observe(tookMs / 1000);
    },
    delivered: ({ updates: [update], retry }, nowMs) => {
      lag.observe(Math.max(0, nowMs - update.acceptedAtMs) / 1000);
      attempts.observe((retry?.attempts ?? 0) + 1);
    },
  };
}

function turnMetrics({ quickCounter, quickHistogram, readGauge }: Metrics) {
  const ended = quickCounter({
    name: 'flotilla_turns_total',
    help: 'Turns by how they ended: idle (done), held (done, but its worker keeps it), again (more to do), at (sleeps), crashed.',
    labelNames: ['kind', 'next'],
  });
  const seconds = quickHistogram({
    name: 'flotilla_turn_seconds',
    help: 'Seconds a turn ran, by kind.',
    labelNames: ['kind'],
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30, 60],
  });
  const active = new Map<TurnKind, number>();
  readGauge(
    { name: 'flotilla_active_turns', help: 'Turns that run in this process, by kind.', labelNames: ['kind'] },
    () => [...active].map(([kind, value]) => ({ labels: { kind }, value })),
  );
  const held = new Map<TurnKind, number>();
  readGauge(
    {
      name: 'flotilla_held_turns',
      help: 'Turns without work that this process holds for the next update, by kind.',
      labelNames: ['kind'],
    },
    () => [...held].map(([kind, value]) => ({ labels: { kind }, value })),
  );
  return (kind: TurnKind) => {
    const next: Record<TurnOutcome['next'] | 'held' | 'crashed', QuickCounter> = {
      idle: ended.of(kind, 'idle'),
      held: ended.of(kind, 'held'),
      again: ended.of(kind, 'again'),
      at: ended.of(kind, 'at'),
      crashed: ended.of(kind, 'crashed'),
    };
    const took = seconds.of(kind);
    const change = (turns: Map<TurnKind, number>, by: 1 | -1) => turns.set(kind, (turns.get(kind) ?? 0) + by);
    const begin = () => {
      change(active, 1);
      return performance.now();
    };
    const end = (outcome: keyof typeof next, begunAtMs: number) => {
      change(active, -1);
      next[outcome].inc();
      took.observe((performance.now() - begunAtMs) / 1000);
    };
    active.set(kind, 0);
    held.set(kind, 0);
    return {
      began: begin,
      ended: (outcome: TurnOutcome['next'] | 'crashed', begunAtMs: number) => end(outcome, begunAtMs),
      /** It has no work, and its worker holds it. */
      held: (begunAtMs: number) => {
        end('held', begunAtMs);
        change(held, 1);
      },
      resumed: () => {
        change(held, -1);
        return begin();
      },
    };
  };
}

function historyMetrics({ counter, quickHistogram }: Metrics) {
  return {
    historyRows: counter({
      name: 'flotilla_history_entries_total',
      help: 'Entries of the history streams written to Postgres.',
    }),
    historyLag: quickHistogram({
      name: 'flotilla_history_lag_seconds',
      help: 'Seconds from an entry of the history stream to its row in Postgres.',
      buckets: LAG_BUCKETS_S,
    }).of(),
    historyBatches: counter(
      {
        name: 'flotilla_history_batches_total',
        help: 'Batches written, or waiting (waits) because Postgres did not accept them.',
        labelNames: ['outcome'],
      },
      [{ outcome: 'written' }, { outcome: 'waits' }],
    ),
    deadLetters: counter(
      {
        name: 'flotilla_dead_letters_total',
        help: 'Updates that failed for good, by reader (push, program, rules, history) and reason code.',
        labelNames: ['reader', 'reason'],
      },
      reasonCode.options.flatMap((reason) => READERS_THAT_GIVE_UP[reason].map((reader) => ({ reader, reason }))),
    ),
  };
}

const READERS_THAT_GIVE_UP: Record<ReasonCode, readonly ('push' | 'program' | 'rules' | 'history')[]> = {
  refused: ['push', 'program'],
  unreachable: ['push', 'program'],
  timed_out: ['push', 'program'],
  forbidden_address: ['push', 'program'],
  not_signed: ['push', 'program'],
  expired: ['push', 'program', 'rules'],
  crashed: ['push', 'program', 'rules'],
  backend_removed: ['push', 'program'],
  // push: updates that a parked program would have taken alone.
  too_far_behind: ['program', 'push'],
  rules_removed: ['rules'],
  destination_failed: ['rules'],
  unstorable: ['history'],
  skipped: ['push', 'program', 'rules'],
  unknown: ['push', 'rules'],
};

function upkeepMetrics({ counter, gauge }: Metrics) {
  return {
    latePendingTurns: gauge({
      name: 'flotilla_late_pending_turns',
      help: 'Turns that had been pending for over 5 s, so that their wake was lost, when upkeep last looked.',
      labelNames: ['kind'],
    }),
    clockAhead: gauge({
      name: 'flotilla_clock_ahead_seconds',
      help: 'By how much the clock of this process is ahead of that of Postgres; negative: behind. Beyond 60, it deletes nothing.',
    }),
    removedRows: counter({
      name: 'flotilla_removed_rows_total',
      help: 'Expired rows that retention removed, by table; of whole months an estimate.',
      labelNames: ['table'],
    }),
    upkeepRounds: counter(
      {
        name: 'flotilla_upkeep_rounds_total',
        help: 'Rounds of upkeep: ok or failed.',
        labelNames: ['outcome'],
      },
      [{ outcome: 'ok' }, { outcome: 'failed' }],
    ),
    repairs: counter(
      {
        name: 'flotilla_upkeep_repairs_total',
        help: 'What upkeep repaired: configuration in Redis, or a webhook at the platform.',
        labelNames: ['what'],
      },
      [{ what: 'configuration' }, { what: 'webhook' }],
    ),
  };
}
