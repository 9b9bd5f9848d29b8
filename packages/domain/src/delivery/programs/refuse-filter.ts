import type { ProgramFilter } from '@flotilla/contract/program-filters.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { compilePattern } from '../filters/compile-pattern.ts';

/** Every process has all filters in its memory. */
const FILTER_LENGTH = 4096;
/** Filters are judged while updates are accepted, so all expressions of a bot together have a limit. */
const STEPS_OF_BOT = 1000;

/** Throws 'bad_request' for an expression that cannot be run, a filter that is too large, or too much for one bot. */
export function refuseFilter(filter: ProgramFilter, ofOtherPrograms: ProgramFilter[]): void {
  if (JSON.stringify(filter).length > FILTER_LENGTH) {
    throw refusedInput('filter', `must have at most ${FILTER_LENGTH} characters as JSON`);
  }
  if (filter.text === undefined) return;
  const pattern = compilePattern(filter.text);
  if (pattern.outcome === 'refused') throw refusedInput('filter.text', pattern.reason);
  const others = ofOtherPrograms.reduce((steps, { text }) => steps + stepsOf(text), 0);
  if (pattern.steps + others <= STEPS_OF_BOT) return;
  throw refusedInput('filter.text', 'is too large beside the regular expressions of the other programs of the bot');
}

function stepsOf(text: string | undefined): number {
  const pattern = text === undefined ? null : compilePattern(text);
  return pattern?.outcome === 'compiled' ? pattern.steps : 0;
}
