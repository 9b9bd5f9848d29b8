import { describe, expect, test } from '@jest/globals';
import { foldText, hasFoldedKeyword } from './keyword.ts';

const hasKeyword = (text: string, keyword: string) => hasFoldedKeyword(foldText(text), keyword);

describe('a keyword', () => {
  test.each([
    ['tide', 'The TIDE is high'],
    ['high tide', 'a high\n tide'],
    ['straße', 'In der STRASSE'],
    ['ОТЛИВ', 'когда отлив?'],
    ['οδοσ', 'ΟΔΟΣ'],
    ['c++', 'I like C++, mostly'],
    ['#42', 'order #42'],
    ['潮汐', '今天的潮汐表'],
    ['café', 'cafe\u0301!'],
    ['👍', 'ok👍ok'],
  ])('%p is in %p', (keyword, text) => {
    expect(hasKeyword(text, keyword)).toBe(true);
  });

  test.each([
    ['tide', 'tidewater and a riptide'],
    ['tide', 'tide_tables'],
    ['high tide', 'high and tide'],
    ['отлив', 'отливы'],
    ['42', '#420'],
    ['', 'anything'],
    ['  ', 'any thing'],
  ])('%p is not in %p', (keyword, text) => {
    expect(hasKeyword(text, keyword)).toBe(false);
  });

  test('takes no longer for a text made to be slow', () => {
    const begunAtMs = performance.now();
    hasKeyword('ab'.repeat(2048), 'ab'.repeat(250));
    expect(performance.now() - begunAtMs).toBeLessThan(5_000);
  });
});

test('a letter with a hundred thousand marks takes no longer than other texts', () => {
  const startedMs = performance.now();
  hasKeyword(`a${'\u0344'.repeat(100_000)}${'\u0316'.repeat(100_000)}`, 'tide');
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
