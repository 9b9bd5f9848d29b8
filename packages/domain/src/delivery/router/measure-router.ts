import type { Metrics } from '@flotilla/runtime/metrics.ts';
import type { MeasureRouter } from './router.ts';
import type { Verdict } from './verdict.ts';

const OUTCOMES: Verdict['outcome'][] = ['chosen', 'none', 'failed', 'aborted'];
const BUCKETS_S = [0.001, 0.01, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** Counts how the router was asked, in the api (trials) and in workers. */
export function measureRouter({ quickCounter, quickHistogram }: Metrics): MeasureRouter {
  const asked = quickCounter({
    name: 'flotilla_router_questions_total',
    help: 'Questions to the router by how they ended: chosen (a bot), none (no bot fits), failed (no answer that counts, or no calls left), aborted (by us).',
    labelNames: ['outcome'],
  });
  const seconds = quickHistogram({
    name: 'flotilla_router_seconds',
    help: 'Seconds until the router decided.',
    buckets: BUCKETS_S,
  }).of();
  for (const outcome of OUTCOMES) asked.of(outcome);
  return {
    asked: ({ outcome }, tookMs) => {
      asked.of(outcome).inc();
      seconds.observe(tookMs / 1000);
    },
  };
}
