import { expect, test } from '@jest/globals';
import { newParams } from './params.ts';
import { parseMultipart } from './parse-multipart.ts';

const TYPE = 'multipart/form-data; boundary=XX';

function parse(body: string, type = TYPE) {
  const params = newParams();
  parseMultipart(params, type, Buffer.from(body));
  const files = [...params.files.values()].map(({ field, name, mime, bytes }) => [field, name, mime, String(bytes)]);
  return { values: Object.fromEntries(params.values), files };
}

test("grammY's unquoted file name with a space is kept whole", () => {
  const body =
    '--XX\r\ncontent-disposition:form-data;name="abc";filename=a b.txt\r\ncontent-type:application/octet-stream\r\n\r\nBYTES\r\n--XX--\r\n';
  expect(parse(body).files).toEqual([['abc', 'a b.txt', 'application/octet-stream', 'BYTES']]);
});

test('files may come before fields', () => {
  const file = '--XX\r\nContent-Disposition: form-data; name="document"; filename="a \\"b\\".txt"\r\n\r\n1\r\n2\r\n';
  const field = '--XX\r\nContent-Disposition: form-data; name="chat_id"\r\n\r\n77\r\n--XX--\r\n';
  expect(parse(file + field)).toEqual({
    values: { chat_id: '77' },
    files: [['document', 'a "b".txt', 'application/octet-stream', '1\r\n2']],
  });
});

test.each(['', '--XX--', '--XX--\r\n', '\r\n--XX--\r\n', 'garbage', '--XX\r\nno header end'])(
  'the empty or broken body %j is refused, as at the platform',
  (body) => {
    expect(parseMultipart(newParams(), TYPE, Buffer.from(body))).toEqual({ refusedStatus: 400 });
  },
);

test('a quoted boundary is read, and a body that is cut short is refused', () => {
  const [type, field] = [
    'multipart/form-data; boundary="X X"',
    '--X X\r\nContent-Disposition: form-data; name=a\r\n\r\nvalue',
  ];
  expect(parse(`${field}\r\n--X X--`, type).values).toEqual({ a: 'value' });
  expect(parseMultipart(newParams(), type, Buffer.from(field))).toEqual({ refusedStatus: 400 });
});
