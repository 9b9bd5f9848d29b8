import type { Metrics } from '@flotilla/runtime/metrics.ts';

/** Who sends a body: somebody whose token, key or secret we have checked, or anybody. */
export type Sender = 'known' | 'stranger';

/** What all bodies that a process reads into memory may take together. */
export type BodyBudget = {
  /** Takes that many bytes; false, and nothing is taken, when they would be too many. */
  take(bytes: number, sender: Sender): boolean;
  giveBack(bytes: number): void;
};

/** 64 of the largest bodies of REST at once; an api process lives with a few hundred MB. */
const BUDGET_BYTES = 64 * 1024 * 1024;
/** So that strangers keep nobody else's calls out. */
const STRANGERS_BYTES = BUDGET_BYTES / 2;

export function bodyBudget(metrics: Metrics): BodyBudget {
  let held = 0;
  metrics.gauge({
    name: 'flotilla_held_body_bytes',
    help: 'Bytes of request bodies held in memory, at most 64 MiB.',
    collect() {
      this.set(held);
    },
  });
  const refused = metrics
    .quickCounter({
      name: 'flotilla_bodies_refused_total',
      help: 'Requests refused with 503 because too many bytes of bodies were held.',
      labelNames: [],
    })
    .of();
  return {
    take(bytes, sender) {
      if (held + bytes > (sender === 'known' ? BUDGET_BYTES : STRANGERS_BYTES)) {
        refused.inc();
        return false;
      }
      held += bytes;
      return true;
    },
    giveBack(bytes) {
      held -= bytes;
    },
  };
}
