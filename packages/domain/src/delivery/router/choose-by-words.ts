import type { Candidate } from './candidate.ts';
import { rankByWords } from './rank-by-words.ts';
import { shownReason, type Verdict } from './verdict.ts';

/** How far the score of a choice must be above that of the next bot. */
const CLEAR_LEAD = 1.05;

/** The bot whose name and description share the most telling words with a text; none when two are as good. */
export function chooseByWords(
  candidates: readonly Candidate[],
  text: string,
): Exclude<Verdict, { outcome: 'aborted' }> {
  const [best, next] = rankByWords(candidates, text);
  if (best === undefined) {
    return { outcome: 'none', by: 'words', reason: 'no word of it is in a description', ownWords: true };
  }
  const reason = best.words().join(', ');
  if (next !== undefined && best.score < CLEAR_LEAD * next.score) {
    return { outcome: 'none', by: 'words', reason: shownReason(`several bots fit: ${reason}`) };
  }
  return { outcome: 'chosen', by: 'words', targetBotId: best.id, reason: shownReason(reason) };
}
