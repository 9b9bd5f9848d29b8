import type { Metrics } from '@flotilla/runtime/metrics.ts';
import { classifyError } from '../http/classify-error.ts';

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

/** One request by which the platform pushes an update. */
export type Intake = {
  /** Only the first outcome counts. */
  ended(outcome: IntakeOutcome): void;
};

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function intakeMetrics(metrics: Metrics): { began(): Intake } {
  const seconds = metrics.quickHistogram({
    name: 'flotilla_platform_webhook_seconds',
    help: 'Seconds to answer an update pushed by the platform, by outcome.',
    labelNames: ['outcome'],
    buckets: BUCKETS_S,
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

export function intakeOutcomeOf(error: unknown): IntakeOutcome {
  switch (classifyError(error).code) {
    case 'unauthorized':
      return 'unauthorized';
    case 'unavailable':
      return 'unavailable';
    case 'internal':
      return 'failed';
    default:
      return 'refused';
  }
}
