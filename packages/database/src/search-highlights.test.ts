import { describe, expect, test } from '@jest/globals';
import { highlighter } from './search-highlights.ts';

const marked = (q: string, text: string) =>
  highlighter(q)(text).map(({ offset, length }) => text.slice(offset, offset + length));

describe('highlighter marks', () => {
  test.each([
    [
      'whole words, and those that begin with the last one',
      'my ord',
      'My orders: my order, mystery',
      ['My', 'orders', 'my', 'order'],
    ],
    ['a word whatever its case and accents', 'ЕЛКА café', 'Ёлка и CAFÉ', ['Ёлка', 'CAFÉ']],
    ['letters that fold to several', 'strasse', 'in der Straße 7', ['Straße']],
    ['Arabic without its vowel signs', 'السلام', 'قال السَّلامُ عليكم', ['السَّلامُ']],
    ['any part of a script without spaces', '好世', '你好世界，你好世界', ['好世', '好世']],
    ['one character of it', '界', '你好世界', ['界']],
    ['a part of Thai', 'ชาวโลก', 'สวัสดีชาวโลก', ['ชาวโลก']],
    ['words of several scripts in one run', 'iphone 手机', '新iPhone手机', ['iPhone手机']],
    ['parts of an address', 'example', 'to user@example.com_now', ['example']],
    ['an emoji whatever its skin', '👍', 'yes👍🏽no', ['👍🏽']],
    ['nothing where nothing is found', 'absent', 'here is nothing', []],
    ['nothing for a query without words', '!!! &', 'what?!!!', []],
  ])('%s', (_, q, text, expected) => {
    expect(marked(q, text)).toEqual(expected);
  });

  test('at most 50 parts', () => {
    expect(marked('a', 'a b '.repeat(300))).toHaveLength(50);
  });
});
