import type { Decider } from '@flotilla/contract/route-decisions.ts';

/** A message that the router is asked about. */
export type Question = { text: string; instruction: string };

/** `ownWords`: the reason tells nothing of the candidates, neither in words of the model nor in those of descriptions. */
type Said = { by: Decider; reason: string; ownWords?: true; tokens?: number };

/** The outcome of asking once. */
export type Verdict =
  | ({ outcome: 'chosen'; targetBotId: number } & Said)
  | ({ outcome: 'none' } & Said)
  /** No answer, or none that counts. It is not asked again. */
  | ({ outcome: 'failed' } & Said)
  /** Aborted by us before there was an answer. */
  | { outcome: 'aborted' };

const LONGEST_REASON = 500;

/** A reason as it is stored and shown: one line of bounded length. */
export function shownReason(reason: string): string {
  const line = reason
    .slice(0, 4 * LONGEST_REASON)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length <= LONGEST_REASON ? line : `${line.slice(0, LONGEST_REASON - 1).trimEnd()}…`;
}
