import { expect, test } from '@jest/globals';
import { streamSafe } from './stream-safe.ts';

test('leaves texts as they are, with any marks that a language needs', () => {
  for (const text of ['', 'plain', 'é', 'á̂̃'.repeat(100), 'ｶﾞ', '한국어 텍스트', `a${'̈'.repeat(30)}b`]) {
    expect(streamSafe(text)).toBe(text);
  }
});

test('leaves out the marks beyond thirty in a row, of each letter', () => {
  const marks = '̖́'.repeat(1000);
  expect(streamSafe(`a${marks}b${marks}c`)).toBe(`a${marks.slice(0, 30)}b${marks.slice(0, 30)}c`);
  expect(streamSafe(`ｶ${'ﾞ'.repeat(100)}`)).toBe(`ｶ${'ﾞ'.repeat(30)}`);
});
