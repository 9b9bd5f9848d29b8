import { describe, expect, test } from '@jest/globals';
import { formatText } from '../messages/read-text.ts';

const shape = (source: string, mode: string) => {
  const { text, entities } = formatText(source, mode, undefined);
  return [text, ...entities.map(({ type, offset, length, ...rest }) => [type, offset, length, ...Object.values(rest)])];
};

describe('parse_mode', () => {
  test('HTML nests, decodes references and knows links, code languages and spoilers', () => {
    expect(shape('<b>bo<i>l</i>d</b> &lt;&amp;&#x1F600;', 'HTML')).toEqual([
      'bold <&😀',
      ['bold', 0, 4],
      ['italic', 2, 1],
    ]);
    expect(shape('<a href="https://e.org/?a&amp;b">x</a>', 'html')).toEqual([
      'x',
      ['text_link', 0, 1, 'https://e.org/?a&b'],
    ]);
    expect(shape('<pre><code class="language-ts">let x</code></pre>', 'HTML')).toEqual(['let x', ['pre', 0, 5, 'ts']]);
    expect(shape('<tg-spoiler>s</tg-spoiler><span class="tg-spoiler">t</span>', 'HTML')).toEqual([
      'st',
      ['spoiler', 0, 1],
      ['spoiler', 1, 1],
    ]);
  });

  test('Markdown marks do not nest', () => {
    expect(shape('*b* _i_ `c` [t](e.org) \\*', 'Markdown')).toEqual([
      'b i c t *',
      ['bold', 0, 1],
      ['italic', 2, 1],
      ['code', 4, 1],
      ['text_link', 6, 1, 'http://e.org/'],
    ]);
    expect(shape('```js\ncode```', 'Markdown')).toEqual(['code', ['pre', 0, 4, 'js']]);
  });

  test('MarkdownV2 nests and needs escapes', () => {
    expect(shape('*b _i_ __u__* ~s~ ||p|| `c\\`` [l](https://e.org/\\)) \\.', 'MarkdownV2')).toEqual([
      'b i u s p c` l .',
      ['bold', 0, 5],
      ['italic', 2, 1],
      ['underline', 4, 1],
      ['strikethrough', 6, 1],
      ['spoiler', 8, 1],
      ['code', 10, 2],
      ['text_link', 13, 1, 'https://e.org/)'],
    ]);
    expect(shape('>quoted\n>lines\nrest', 'MarkdownV2')).toEqual(['quoted\nlines\nrest', ['blockquote', 0, 12]]);
  });

  test.each([
    ['<b>x', 'HTML', 'Can\'t find end tag corresponding to start tag "b"'],
    ['<blink>x', 'HTML', 'Unsupported start tag "blink" at byte offset 0'],
    ['é</b>', 'HTML', 'Unexpected end tag at byte offset 2'],
    ['a *b', 'Markdown', "Can't find end of the entity starting at byte offset 2"],
    ['a *b', 'MarkdownV2', "Can't find end of Bold entity at byte offset 2"],
    ['1.', 'MarkdownV2', "Character '.' is reserved and must be escaped with the preceding '\\'"],
  ])("%j in %s is refused in the platform's words", (source, mode, reason) => {
    expect(() => formatText(source, mode, undefined)).toThrow(`Bad Request: can't parse entities: ${reason}`);
  });

  test('links, mentions, hashtags and commands are found, but not inside code', () => {
    expect(shape('/go @some_one #tag https://e.org/x. me@e.org', '')).toEqual([
      '/go @some_one #tag https://e.org/x. me@e.org',
      ['bot_command', 0, 3],
      ['mention', 4, 9],
      ['hashtag', 14, 4],
      ['url', 19, 15],
      ['email', 36, 8],
    ]);
    expect(shape('`/go`', 'Markdown')).toEqual(['/go', ['code', 0, 3]]);
  });
});
