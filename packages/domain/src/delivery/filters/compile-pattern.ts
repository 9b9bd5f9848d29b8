import { RE2JS, RE2JSException } from 're2js';

export type CompiledPattern =
  /** `steps`: the length of its program, to which the time of a match is proportional. */
  | { outcome: 'compiled'; matches(text: string): boolean; steps: number }
  /** `reason` completes a sentence such as "condition_value …". */
  | { outcome: 'refused'; reason: string };

const MAX_LENGTH = 500;
/** The engine writes counted repetitions out. A pattern that would get longer than this is refused uncompiled. */
const MAX_WRITTEN_OUT = 20_000;
/** A message of the greatest length takes at most about 0.1 s with a program of this many steps. */
const MAX_STEPS = 500;

/**
 * Compiles a regular expression with RE2, whose time is proportional to the text, whatever the expression. RE2 has no
 * look-around and no back-references, and its `\b`, `\w` and `\d` mean ASCII. A match may be anywhere in the text.
 */
export function compilePattern(pattern: string): CompiledPattern {
  if (pattern.length > MAX_LENGTH || writtenOutLength(pattern) > MAX_WRITTEN_OUT) return TOO_LARGE;
  try {
    const compiled = RE2JS.compile(pattern);
    const steps = compiled.programSize();
    if (steps > MAX_STEPS) return TOO_LARGE;
    return { outcome: 'compiled', matches: (text) => compiled.test(text), steps };
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
