import { type ActiveRule, sendsMessages } from '../../fleet/bots/active-rule.ts';
import type { Outcome, SettledUnit } from '../lanes/claimed-unit.ts';
import type { Destination, RoutingProgress } from './destination.ts';
import { keyOfRule } from './find-destinations.ts';

/** The outcome of a unit, what was attempted for it (one attempt for each destination), and the hits of rules. */
export type Routed = Outcome & Pick<SettledUnit, 'attempts' | 'hits'>;

/** The rules that act on a message, or would if the platform took what they send. */
export function hitsOf(rules: readonly ActiveRule[], found: readonly Destination[]): number[] {
  const sends = (rule: ActiveRule) => found.some(({ key }) => key === keyOfRule(rule));
  return rules.filter((rule) => !sendsMessages(rule.action) || sends(rule)).map(({ id }) => id);
}

/**
 * Counts the hits once, in the step of Redis that settles the unit, or else in that which stores the progress for the retry. What is
 * sent again from the dead letters was counted before.
 */
export async function countHits(
  routed: Routed,
  progress: RoutingProgress,
  hits: number[],
  note: (hits: number[]) => Promise<boolean>,
): Promise<Routed> {
  if (hits.length === 0 || progress.counted || progress.only !== undefined) return routed;
  switch (routed.outcome) {
    case 'delivered':
    case 'dropped':
    case 'dead':
      return { ...routed, hits };
    case 'retry':
    case 'waits':
      progress.counted = true;
      return (await note(hits)) ? routed : { outcome: 'returned' };
    case 'crashed':
    case 'returned':
      return routed;
  }
}
