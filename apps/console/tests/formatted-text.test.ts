import { describe, expect, test } from '@jest/globals';
import { readFormatted } from '../src/parts/formatted-text.ts';

/** The parts of a text by their entities, as a person sees them. */
function partsOf(source: string, parseMode: string): unknown {
  const read = readFormatted(source, parseMode);
  if ('wrongAt' in read) return read;
  return [
    read.text,
    ...read.entities.map(({ type, offset, length }) => [type, read.text.slice(offset, offset + length)]),
  ];
}

describe('HTML', () => {
  test.each([
    ['a <b>bold <i>both</i></b> c', ['a bold both c', ['bold', 'bold both'], ['italic', 'both']]],
    ['1 &lt; 2 &amp;&#33;&#x21; &nope', ['1 < 2 &!! &nope']],
    ['<pre>let a</pre><code>b</code>', ['let ab', ['pre', 'let a'], ['code', 'b']]],
    ['<span class="tg-spoiler">x</span><tg-spoiler>y</tg-spoiler>', ['xy', ['spoiler', 'x'], ['spoiler', 'y']]],
    ['<blockquote>q</blockquote>', ['q', ['blockquote', 'q']]],
    ['a <b>bold', { wrongAt: 9 }],
    ['a </b>', { wrongAt: 2 }],
    ['<b><i>x</b></i>', { wrongAt: 7 }],
    ['<marquee>x</marquee>', { wrongAt: 0 }],
    ['1 < 2', { wrongAt: 2 }],
  ])('%s', (source, parts) => {
    expect(partsOf(source, 'HTML')).toEqual(parts);
  });

  test('a link keeps its address', () => {
    const read = readFormatted('<a href="https://a.example/?x=1&amp;y=2">here</a>', 'HTML');
    expect(read).toMatchObject({ entities: [{ type: 'text_link', url: 'https://a.example/?x=1&y=2' }] });
  });
});

describe('MarkdownV2', () => {
  test.each([
    [
      '*b _i_* ~s~ __u__ ||x||',
      ['b i s u x', ['bold', 'b i'], ['italic', 'i'], ['strikethrough', 's'], ['underline', 'u'], ['spoiler', 'x']],
    ],
    ['1\\.5 \\*not bold\\*', ['1.5 *not bold*']],
    ['`a\\`b` and ```js\nlet a```', ['a`b and let a', ['code', 'a`b'], ['pre', 'let a']]],
    ['[here](https://a.example)', ['here', ['text_link', 'here']]],
    ['>one\n>*two*\nthree', ['one\ntwo\nthree', ['blockquote', 'one\ntwo'], ['bold', 'two']]],
    ['1.5', { wrongAt: 1 }],
    ['*bold', { wrongAt: 5 }],
    ['`code', { wrongAt: 0 }],
  ])('%s', (source, parts) => {
    expect(partsOf(source, 'MarkdownV2')).toEqual(parts);
  });
});

test('a plain text is as it is written', () => {
  expect(partsOf('<b>*a*</b>', 'plain')).toEqual(['<b>*a*</b>']);
});
