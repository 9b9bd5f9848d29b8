import { RE2JS, RE2JSException } from 're2js';

export type CompiledPattern =
  | { outcome: 'compiled'; matches(text: string): boolean }
  /** `reason` finishes the sentence "condition_value …". */
  | { outcome: 'refused'; reason: string };

const MAX_LENGTH = 500;
/** Counted repetitions are written out; how long that may get before it is even tried. */
const MAX_WRITTEN_OUT = 20_000;
/** A longest message takes at most about 0.1 s with this many steps. */
const MAX_STEPS = 500;

/**
 * Compiles a regular expression for an engine that needs time proportional to the text, whatever the expression: RE2's
 * syntax, so without look-around and back-references, and `\b`, `\w`, `\d` are about ASCII. It is found anywhere.
 */
export function compilePattern(pattern: string): CompiledPattern {
  if (pattern.length > MAX_LENGTH || writtenOutLength(pattern) > MAX_WRITTEN_OUT) return TOO_LARGE;
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > MAX_STEPS) return TOO_LARGE;
    return { outcome: 'compiled', matches: (text) => compiled.test(text) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, '');
    return { outcome: 'refused', reason: `is not a regular expression that can be run here: ${reason}` };
  }
}

const TOO_LARGE: CompiledPattern = { outcome: 'refused', reason: 'is too large a regular expression' };

function writtenOutLength(pattern: string): number {
  const repetitions = [...pattern.matchAll(/\{(\d*),?(\d*)\}/g)].map(([, from, to]) => Number(to || from));
  return pattern.length * repetitions.reduce((sum, times) => sum + times, 1);
}
