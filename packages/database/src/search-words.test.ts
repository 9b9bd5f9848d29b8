import { describe, expect, test } from '@jest/globals';
import { searchVector, searchWords } from './search-words.ts';

const words = (text: string) => searchWords(text).map(({ word }) => word);

describe('searchWords', () => {
  test.each([
    ['case', 'ПРИВЕТ Мир', 'привет мир'],
    ['accents', 'Äpfel élève Ёлка', 'apfel eleve елка'],
    ['how an accent is written', 'e\u0301te\u0301', 'été'],
    ['letters that are one to their readers', 'Straße Łódź Øre ΟΔΟΣ', 'strasse lodz ore οδοσ'],
    ['the dots of i', 'İstanbul ILIK ılık', 'istanbul ilik ilik'],
    ['Arabic vowel signs, hamzas and tatweel', 'مُحَمَّد أحمد مـصر', 'محمد احمد مصر'],
    ['skin tones and variation selectors', '👍🏽 ♥️', '👍 ♥'],
    ['full and half width', 'Ｆｌｅｅｔ ﾃｽﾄ', 'fleet テスト'],
  ])('ignores %s', (_, text, same) => {
    expect(words(text)).toEqual(words(same));
  });

  test.each([
    ['й and и', 'мой', 'мои'],
    ['ў and у', 'ваў', 'вау'],
    ['the vowels of Hindi', 'की', 'का'],
  ])('tells %s apart', (_, one, other) => {
    expect(words(one)).not.toEqual(words(other));
  });

  test.each([
    ['addresses and paths', 'user@example.com/read_me', ['user', 'example', 'com', 'read', 'me']],
    ['emoji, one by one', 'ok😀👨‍👩‍👧', ['ok', '😀', '👨', '👩', '👧']],
    ['flags as pairs', '🇩🇪🇫🇷', ['🇩🇪', '🇫🇷']],
    ['signs', '50€ ©', ['50', '€', '©']],
    ['Chinese in pairs', 'iPhone手机好', ['iphone', '手机', '机好', '好']],
    ['nothing but punctuation', '!!! -- #', []],
  ])('finds in %s its words', (_, text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  test('cuts what is no word any more', () => {
    expect(words('я'.repeat(3000))).toEqual(['я'.repeat(64)]);
  });
});

test('a text of ASCII has the same words as any other', () => {
  const everySign = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
  for (const text of [everySign, 'Costs $5, or $$6 (a_b)!', `${'x'.repeat(70)}y`]) {
    const words = new Set(searchWords(text).map(({ word }) => word));
    const after = (prefix: string) => [...words].map((word) => `'${prefix}${word}'`);
    expect(searchVector(['p', 'q'], text, '=')).toBe(["'='", ...after('p'), ...after('q')].join(' '));
  }
});

test('searchVector writes each word once behind each prefix, and only pairs have positions', () => {
  expect(searchVector(['p'], 'a b a 你好 你好', '=')).toBe("'=' 'pa' 'pb' 'p你好':4 'p好':5 'p你好':7 'p好':8");
  expect(searchVector(['p', 'q'], 'a 好', '=')).toBe("'=' 'pa' 'qa' 'p好':2 'q好':2");
  expect(searchVector(['p'], '...', '=')).toBeNull();
  expect(searchVector(['p'], null, '=')).toBeNull();
});

test('a letter with a hundred thousand marks takes no longer than other texts', () => {
  const startedMs = performance.now();
  expect(searchVector(['p'], `tide a${'\u0344'.repeat(100_000)}${'\u0316'.repeat(100_000)}`, '=')).toContain("'ptide'");
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
