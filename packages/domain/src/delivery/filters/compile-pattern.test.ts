import { describe, expect, test } from '@jest/globals';
import { compilePattern } from './compile-pattern.ts';

const matches = (pattern: string, text: string) => {
  const compiled = compilePattern(pattern);
  if (compiled.outcome === 'refused') throw new Error(compiled.reason);
  return compiled.matches(text);
};

describe('a pattern', () => {
  test.each([
    ['invoice', 'Your invoice is here', true],
    ['^invoice', 'Your invoice is here', false],
    ['(?i)СЧЁТ', 'ваш счёт', true],
    ['^(?:a|b){2,3}$', 'abab', false],
    ['\\p{Han}', '你好', true],
    ['😀+$', 'ha 😀😀', true],
  ])('%s is looked for anywhere in "%s": %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  test.each(['(a', '[z-a]', 'a**', '(?=x)', '(a)\\1', 'a{1001}', '(?<=a)b'])(
    '%s is refused with a reason',
    (pattern) => {
      expect(compilePattern(pattern)).toMatchObject({
        outcome: 'refused',
        reason: expect.stringMatching(/^is not a regular expression that can be run here: .+/),
      });
    },
  );

  test.each([
    ['long', 'x'.repeat(501)],
    ['long when written out', '.{0,1000}'.repeat(50)],
    ['a long program', '[ab]'.repeat(10).concat('(x?y){400}')],
  ])('that is too %s is refused before it can hold anybody up', (_title, pattern) => {
    const beganAtMs = performance.now();
    expect(compilePattern(pattern)).toEqual({ outcome: 'refused', reason: 'is too large a regular expression' });
    expect(performance.now() - beganAtMs).toBeLessThan(5_000);
  });

  test.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*a){20}$', '(?:a|b|ab)*\\b[^ab]{400}$'])(
    'that would hang a backtracking engine, %s, ends in time',
    (pattern) => {
      const text = `${'ab'.repeat(1000)}${'a'.repeat(2095)}!`;
      const beganAtMs = performance.now();
      expect(matches(pattern, text)).toBe(false);
      expect(performance.now() - beganAtMs).toBeLessThan(5_000);
    },
  );
});
