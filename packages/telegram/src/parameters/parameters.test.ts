import { describe, expect, test } from '@jest/globals';
import { fileParameter, integerParameter, parameterReader, parametersOf, switchParameter } from './parameters.ts';

const LIMITS = { parameterBytes: 1024, fileBytes: 1024 };

function read(contentType: string, body: string, query = '', cuts: 'whole' | 'bytes' = 'whole') {
  const parameters = parametersOf(query);
  const reader = parameterReader(contentType, parameters, LIMITS);
  const bytes = Buffer.from(body);
  if (cuts === 'whole') reader.write(bytes);
  else for (const byte of bytes) reader.write(Buffer.from([byte]));
  reader.end();
  return parameters;
}
const valuesOf = (...input: Parameters<typeof read>) => Object.fromEntries(read(...input).values);

describe('JSON', () => {
  test('strings are unescaped, everything else keeps its raw text', () => {
    const body = '{"a":"x\\u0041\\n", "n": 9007199254740993,"b":true,"z":null,"o":{"k":[1,{"q":"}"}]} }';
    expect(valuesOf('application/json', body)).toEqual({
      a: 'xA\n',
      n: '9007199254740993',
      b: 'true',
      z: 'null',
      o: '{"k":[1,{"q":"}"}]}',
    });
  });

  test.each(['null', '"text"', '[1,2]', '', '   ', '{', 'nonsense'])('%j has no parameters and is no error', (body) =>
    expect(valuesOf('application/json; charset=utf-8', body)).toEqual({}),
  );

  test('what was read before the fault is kept', () => {
    expect(valuesOf('application/json', '{"limit":5,"timeout":')).toEqual({ limit: '5' });
  });

  test('a name that appears twice has its first value, and __proto__ is a name like any other', () => {
    expect(read('application/json', '{"a":1,"a":2,"__proto__":3}').values).toEqual(
      new Map([
        ['a', '1'],
        ['__proto__', '3'],
      ]),
    );
  });

  test('a hundred thousand levels are skipped without recursion', () => {
    const parameters = parametersOf('');
    const reader = parameterReader('application/json', parameters, { parameterBytes: 1_000_000, fileBytes: 0 });
    reader.write(Buffer.from(`{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)},"limit":7}`));
    reader.end();
    expect(parameters.values.get('limit')).toBe('7');
  });
});

describe('urlencoded', () => {
  test('fields are decoded, and odd ones are no error', () => {
    expect(valuesOf('application/x-www-form-urlencoded', 'a=1+2&b=%D0%9F&c&=x&d=%zz&&e=1=2')).toEqual({
      a: '1 2',
      b: 'П',
      c: '',
      '': 'x',
      d: '%zz',
      e: '1=2',
    });
  });
});

describe('the query string', () => {
  test('may carry bytes that nobody escaped', () => {
    const bytes = Buffer.from('text=П&b=%D0%9F%zz').toString('latin1');
    expect(Object.fromEntries(parametersOf(bytes).values)).toEqual({ text: 'П', b: 'П%zz' });
  });

  test('wins over the body', () => {
    expect(valuesOf('application/json', '{"limit":5,"offset":9}', 'limit=1')).toEqual({ limit: '1', offset: '9' });
  });
});

describe.each(['whole', 'bytes'] as const)('multipart, arriving %s', (cuts) => {
  const part = (head: string, content: string) => `--b\r\n${head}\r\n\r\n${content}\r\n`;
  const type = 'multipart/form-data; boundary=b';

  test('fields before and behind files are read', () => {
    const body =
      part('Content-Disposition: form-data; name="document"; filename="a b.txt"', '\r\n--a\r\n--\r') +
      part('content-disposition:form-data;name="chat_id"', '42') +
      part('Content-Disposition: form-data; name=caption', 'line\r\n\r\nline\r\n') +
      '--b--\r\n';
    const parameters = read(type, body, '', cuts);
    expect(Object.fromEntries(parameters.values)).toEqual({ chat_id: '42', caption: 'line\r\n\r\nline\r\n' });
    expect(parameters.files.get('document')?.content.toString()).toBe('\r\n--a\r\n--\r');
  });

  test('a file name without quotes and with a space is a file', () => {
    const body = `${part('content-disposition:form-data;name="x";filename=a b.txt', 'bytes')}--b--`;
    expect(read(type, body, '', cuts).files.get('x')).toMatchObject({ bytes: 5 });
  });

  test.each(['', '--b--\r\n', '--b--', '\r\n--b--\r\n', '--b'])('%j has no parameters and is no error', (body) =>
    expect(valuesOf(type, body, '', cuts)).toEqual({}),
  );

  test('an empty field, a preamble and a missing end are fine', () => {
    const body = `preamble\r\n${part('Content-Disposition: form-data; name="a"', '')}${part('Content-Disposition: form-data; name="b"', '2')}`;
    expect(valuesOf('multipart/form-data; boundary="b"', body, '', cuts)).toMatchObject({ a: '' });
  });

  test('a file beyond the limit is counted and not kept', () => {
    const body = `${part('Content-Disposition: form-data; name="f"; filename="f"', 'x'.repeat(5000))}--b--`;
    const file = read(type, body, '', cuts).files.get('f');
    expect(file?.bytes).toBe(5000);
    expect(file?.content.length).toBe(1024);
  });
});

describe('what is read from values', () => {
  const parameters = parametersOf('a=12abc&b=-3&c=&d=junk&t=Yes&f=false&n=null&certificate=attach://cert');

  test('integers are lenient', () => {
    const integers = ['a', 'b', 'c', 'd', 'n', 'absent'].map((name) => integerParameter(parameters, name, 100));
    expect(integers).toEqual([12, -3, 100, 0, 0, 100]);
  });

  test('switches are true for true, yes and 1', () => {
    expect(switchParameter(parameters, 't')).toBe(true);
    expect(switchParameter(parameters, 'f')).toBe(false);
    expect(switchParameter(parameters, 'absent')).toBe(false);
  });

  test('a file is found by its name or by attach://', () => {
    parameters.files.set('cert', { bytes: 1, content: Buffer.from('x') });
    expect(fileParameter(parameters, 'certificate')?.bytes).toBe(1);
  });

  test('a body longer than the limit is known to be', () => {
    expect(read('application/json', `{"a":"${'x'.repeat(2000)}"}`).overflow).toBe(true);
    expect(read('application/x-www-form-urlencoded', `a=${'x'.repeat(2000)}`).overflow).toBe(true);
  });
});

test('a boundary that is longer than any client makes has no parts, so that nobody can choose one that takes long to find', () => {
  const body = (boundary: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--`;
  const read = (boundary: string) => valuesOf(`multipart/form-data; boundary=${boundary}`, body(boundary));
  expect(read('b'.repeat(200))).toEqual({ a: '1' });
  expect(read('b'.repeat(201))).toEqual({});
});
