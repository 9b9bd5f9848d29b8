import { describe, expect, test } from '@jest/globals';
import { MOST_PARAMETERS } from './collect-parameters.ts';
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

  test.each(['null', '[1,2]', '', '   ', '{', 'nonsense'])('%j has no parameters and is no error', (body) =>
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

  test('a value of more than a hundred levels ends the reading, however many it has', () => {
    const nested = (levels: number) => {
      const parameters = parametersOf('');
      const reader = parameterReader('application/json', parameters, { parameterBytes: 1_000_000, fileBytes: 0 });
      reader.write(Buffer.from(`{"deep":${'['.repeat(levels)}${']'.repeat(levels)},"limit":7}`));
      reader.end();
      return [...parameters.values.keys()];
    };
    expect([nested(101), nested(102), nested(100_000)]).toEqual([['deep', 'limit'], [], []]);
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

  test('a preamble and an empty field are fine', () => {
    const body = `preamble${part('Content-Disposition: form-data; name="a"', '')}--b--`;
    expect(valuesOf('multipart/form-data; boundary="b"', body, '', cuts)).toEqual({ a: '' });
  });

  test('a body without an end has no parameters', () => {
    const parameters = read(type, part('Content-Disposition: form-data; name="a"', '1'), 'limit=1', cuts);
    expect(parameters.fault).toEqual({ code: 400, description: 'Bad Request: unexpected end of request content' });
    expect(Object.fromEntries(parameters.values)).toEqual({ limit: '1' });
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

test('a boundary that is longer than any client makes is refused, so that nobody can choose one that takes long to find', () => {
  const body = (boundary: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--`;
  const readWith = (boundary: string) => read(`multipart/form-data; boundary=${boundary}`, body(boundary));
  expect(Object.fromEntries(readWith('b'.repeat(70)).values)).toEqual({ a: '1' });
  expect(readWith('b'.repeat(71)).fault?.code).toBe(400);
});

test('a body in tiny pieces is read in a time that grows with its length', () => {
  const parser = (bytes: number) => {
    const crumb = Buffer.from('x');
    const parameters = parametersOf('');
    const limits = { parameterBytes: 1 << 20, fileBytes: 1024 };
    const reader = parameterReader('multipart/form-data; boundary=b', parameters, limits);
    reader.write(Buffer.from('--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n'));
    for (let at = 0; at < 100_000; at++) reader.write(crumb);
    reader.write(Buffer.from(':\r\n\r\n'));
    let most = 0;
    for (let at = 0; at < bytes; at++) {
      reader.write(crumb);
      most = Math.max(most, reader.heldBytes());
    }
    reader.write(Buffer.from('\r\n--b--'));
    reader.end();
    return { most, read: parameters.files.get('f')?.bytes };
  };
  expect(parser(3_000_000)).toEqual({ most: expect.any(Number), read: 3_000_000 });
  expect(parser(100_000).most).toBeLessThan(32 * 1024);
});

describe('no more parameters are read than there may be', () => {
  const FORM = 'application/x-www-form-urlencoded';
  const PARTS = 'multipart/form-data; boundary=B';
  const part = (name: string, value: string, more = '') =>
    `--B\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const pairs = (count: number) => `${'a&'.repeat(count - 1)}last=1`;
  const FORMS: [string, string, (count: number) => { query?: string; body?: string }][] = [
    ['a query string', FORM, (count) => ({ query: pairs(count) })],
    ['an urlencoded body', FORM, (count) => ({ body: pairs(count) })],
    ['JSON', 'application/json', (count) => ({ body: `{${'"a":1,'.repeat(count - 1)}"last":1}` })],
    ['parts', PARTS, (count) => ({ body: `${part('a', '').repeat(count - 1)}${part('last', '1')}--B--` })],
    [
      'parts that are forms themselves',
      PARTS,
      (count) => ({
        body: `${part('x', pairs(10).replace('last', 'a'), `\r\nContent-Type: ${FORM}`).repeat(count / 10 - 1)}${part('x', pairs(10 + (count % 10)), `\r\nContent-Type: ${FORM}`)}--B--`,
      }),
    ],
  ];
  const readAll = (type: string, { query = '', body = '' }: { query?: string; body?: string }) => {
    const parameters = parametersOf(query);
    const reader = parameterReader(type, parameters, { parameterBytes: 1_000_000, fileBytes: 0 });
    for (let at = 0; at < body.length; at += 1000) reader.write(Buffer.from(body.slice(at, at + 1000)));
    reader.end();
    const { overflow, fault, values } = parameters;
    return { overflow, fault, last: values.get('last') };
  };

  test.each(FORMS)('%s', (_name, type, of) => {
    const all = { overflow: false, fault: null, last: '1' };
    expect(readAll(type, of(MOST_PARAMETERS))).toEqual(all);
    expect(readAll(type, of(MOST_PARAMETERS + 1))).toEqual({ ...all, overflow: true, last: undefined });
  });
});
