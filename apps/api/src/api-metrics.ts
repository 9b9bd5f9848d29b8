import type { MeasurePull } from '@flotilla/domain/delivery/pull/read-updates.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';
import type { QuickCounter } from '@flotilla/runtime/quick-metrics.ts';

/** The metrics of an api process beside those of the proxy; no label grows with bots or chats. */
export type ApiMetrics = ReturnType<typeof apiMetrics>;

const BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function apiMetrics(metrics: Metrics, waitingPolls: () => number, accepted: QuickCounter) {
  metrics.gauge({
    name: 'flotilla_waiting_polls',
    help: 'Polls of this process that read or wait for updates, by REST or getUpdates.',
    collect() {
      this.set(waitingPolls());
    },
  });
  return {
    accepted,
    requestSeconds: metrics.histogram({
      name: 'flotilla_rest_request_seconds',
      help: 'Seconds from the head of a REST request to the end of its answer; operation none is an unknown path.',
      labelNames: ['operation', 'status'],
      buckets: BUCKETS_S,
    }),
    pulled: metrics.quickCounter({
      name: 'flotilla_updates_pulled_total',
      help: 'Updates handed to pollers, by get_updates or rest; an update that is asked for again counts again.',
      labelNames: ['by'],
    }),
    intake: intakeMetrics(metrics),
    signIns: metrics.counter(
      {
        name: 'flotilla_sign_ins_total',
        help: 'Sign-ins: ok, refused, or limited after too many failures.',
        labelNames: ['outcome'],
      },
      ['ok', 'refused', 'limited'].map((outcome) => ({ outcome })),
    ),
    shielded: metrics
      .quickCounter({
        name: 'flotilla_flood_answered_calls_total',
        help: 'Bot API calls that got a 429 from the flood shield in place of the platform.',
      })
      .of(),
    polls: pollMetrics(metrics),
  };
}

function pollMetrics(metrics: Metrics): MeasurePull {
  const ended = metrics.quickCounter({
    name: 'flotilla_polls_total',
    help: 'Polls that ended: at_once with updates, woken by an update, or empty.',
    labelNames: ['outcome'],
  });
  const series = { at_once: ended.of('at_once'), woken: ended.of('woken'), empty: ended.of('empty') };
  const wake = metrics
    .quickHistogram({
      name: 'flotilla_poll_wake_seconds',
      help: 'Seconds from the append of an update until the poll that waited for it reads it.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 60],
    })
    .of();
  return {
    ended: (outcome, appendedAgoMs) => {
      series[outcome].inc();
      if (outcome === 'woken') wake.observe(appendedAgoMs / 1000);
    },
  };
}

const OUTCOMES = [
  'accepted',
  'duplicate',
  'full',
  'disabled',
  'unauthorized',
  'refused',
  'unavailable',
  'failed',
] as const;
export type IntakeOutcome = (typeof OUTCOMES)[number];

/** Measures one request with which the platform pushes an update. */
export type Intake = {
  /** Only the first outcome counts. */
  ended(outcome: IntakeOutcome): void;
};

const INTAKE_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

function intakeMetrics(metrics: Metrics): { began(): Intake } {
  const seconds = metrics.quickHistogram({
    name: 'flotilla_platform_webhook_seconds',
    help: 'Seconds to answer an update pushed by the platform, by outcome.',
    labelNames: ['outcome'],
    buckets: INTAKE_BUCKETS_S,
  });
  for (const outcome of OUTCOMES) seconds.of(outcome);
  return {
    began: () => {
      const begunAtMs = performance.now();
      let open = true;
      return {
        ended: (outcome) => {
          if (open) seconds.of(outcome).observe((performance.now() - begunAtMs) / 1000);
          open = false;
        },
      };
    },
  };
}
