import { describe, expect, test } from '@jest/globals';
import { CallHash } from './call-hash.ts';

const JSON_TYPE = 'application/json';
const form = (boundary: string) => `multipart/form-data; boundary=${boundary}`;

type Given = { method?: string; path?: string; contentType?: string; isPacked?: boolean; pieceBytes?: number };

function digest(body: string, { pieceBytes = body.length || 1, ...given }: Given = {}): string {
  const hash = new CallHash({
    ...{ method: 'sendmessage', path: '/bot1:a/sendMessage', contentType: JSON_TYPE, isPacked: false },
    ...given,
  });
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += pieceBytes) hash.write(bytes.subarray(at, at + pieceBytes));
  return hash.digest();
}
const part = (boundary: string, head: string, content: string) => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`;
const field = (boundary: string, name: string, value: string) =>
  part(boundary, `Content-Disposition: form-data; name="${name}"`, value);
const file = (boundary: string, name: string, fileName: string, content: string) =>
  part(boundary, `content-disposition:form-data;name="${name}";filename=${fileName}`, content);

describe('the same call has the same digest', () => {
  test('however its bytes are cut', () => {
    const body = '{"chat_id":5,"text":"x"}';
    expect(digest(body, { pieceBytes: 1 })).toBe(digest(body));
    const parts = (name: string) =>
      `${field(name, 'chat_id', '5')}${file(name, 'photo', 'a.jpg', `--${name.slice(1)} not the end`)}--${name}--`;
    expect(digest(parts('abc'), { contentType: form('abc'), pieceBytes: 1 })).toBe(
      digest(parts('abc'), { contentType: form('abc') }),
    );
  });

  test('also at another spelling of the method and with another token', () => {
    expect(digest('', { path: '/bot2:b/SENDMESSAGE?text=x' })).toBe(digest('', { path: '/bot1:a/sendMessage?text=x' }));
  });

  test('whatever the boundary of its form', () => {
    const call = (boundary: string) =>
      digest(`${field(boundary, 'text', 'x')}--${boundary}--`, { contentType: form(boundary) });
    expect(call('----------8d3')).toBe(call('----------x0aaaa'));
  });

  test('whatever the names of attached files, before or behind the field that names them, and of their file names', () => {
    const behind = (name: string) =>
      digest(`${field('B', 'media', `[{"media":"attach://${name}"}]`)}${file('B', name, 'a.jpg', 'bytes')}--B--`, {
        contentType: form('B'),
      });
    const before = (name: string) =>
      digest(
        `${file('B', name, `${name}.dat`, 'bytes')}${field('B', 'media', `[{"media":"attach://${name}"}]`)}--B--`,
        { contentType: form('B') },
      );
    expect(behind('8f3kd9')).toBe(behind('p0t5'));
    expect(before('8f3kd9')).toBe(before('p0t5'));
    const named = (name: string) =>
      digest(`${field('B', 'photo', `attach://${name}`)}${file('B', name, name, 'bytes')}--B--`, {
        contentType: form('B'),
      });
    expect(named('8f3kd9')).toBe(named('p0t5'));
    const escaped = (name: string) => {
      const mention = JSON.stringify([{ media: `attach://${name}` }]).replace(
        /[^ -~]/g,
        (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      return digest(`${file('B', encodeURIComponent(name), 'a.jpg', 'bytes')}${field('B', 'media', mention)}--B--`, {
        contentType: form('B'),
      });
    };
    expect(escaped('файл, 1')).toBe(escaped('图片 "2"'));
  });
});

describe('another call has another digest', () => {
  const differ = (...digests: string[]) => expect(new Set(digests).size).toBe(digests.length);

  test('by its method, query string, server, type and bytes', () => {
    differ(
      digest('{"text":"x"}'),
      digest('{"text":"y"}'),
      digest('{"text":"x"}', { method: 'editmessagetext' }),
      digest('{"text":"x"}', { path: '/bot1:a/sendMessage?chat_id=5' }),
      digest('{"text":"x"}', { path: '/bot1:a/test/sendMessage' }),
      digest('{"text":"x"}', { contentType: 'application/x-www-form-urlencoded' }),
      digest(''),
    );
  });

  test('by a field, a file, the parameter of a file and what is attached where', () => {
    const of = (body: string) => digest(`${body}--B--`, { contentType: form('B') });
    const media = (first: string, second: string) =>
      of(
        field('B', 'media', `["attach://${first}","attach://${second}"]`) +
          file('B', 'one', 'f', '1') +
          file('B', 'two', 'f', '2'),
      );
    differ(
      of(field('B', 'text', 'x')),
      of(field('B', 'text', 'y')),
      of(field('B', 'caption', 'x')),
      of(file('B', 'photo', 'a', 'x')),
      of(file('B', 'document', 'a', 'x')),
      of(file('B', 'photo', 'b', 'x')),
      of(file('B', 'photo', 'a', 'y')),
      of(file('B', 'photo', 'a', 'x') + file('B', 'photo', 'a', 'x')),
      media('one', 'two'),
      media('two', 'one'),
    );
  });

  test('also where the form cannot be read, or is compressed', () => {
    const broken = (text: string) => digest(`--B\r\n\r\n${text}`, { contentType: form('B') });
    const packed = (text: string) => digest(text, { contentType: form('B'), isPacked: true });
    const many = (text: string) =>
      digest(`${field('B', 'a', '').repeat(1001)}${field('B', 'b', text)}--B--`, { contentType: form('B') });
    differ(broken('x'), broken('y'), packed('x'), packed('y'), many('x'), many('y'));
  });
});
