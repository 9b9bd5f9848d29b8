import type { Decider } from '@flotilla/contract/route-decisions.ts';

/** A message that the router is asked about. */
export type Question = { text: string; instruction: string };

/** The outcome of asking once. */
export type Verdict =
  | { outcome: 'chosen'; by: Decider; targetBotId: number; reason: string; tokens?: number }
  | { outcome: 'none'; by: Decider; reason: string; tokens?: number }
  /** No answer, or none that counts. It is not asked again. */
  | { outcome: 'failed'; by: Decider; reason: string; tokens?: number }
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
