import { describe, expect, test } from '@jest/globals';
import { parsePlatformJson } from '../platform-json.ts';
import { integerParameter, parameterReader, parametersOf, switchParameter } from './parameters.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const PARTS = 'multipart/form-data; boundary=B';
const part = (disposition: string, value: string) => `--B\r\nContent-Disposition: ${disposition}\r\n\r\n${value}\r\n`;
const named = (name: string, value: string) => part(`form-data; name="${name}"`, value);

/** What is read of a body: the values, the files with their lengths, or the status of the platform's error. */
function read(type: string, body: string, query = '') {
  const parameters = parametersOf(query);
  const reader = parameterReader(type, parameters, { parameterBytes: 1 << 20, fileBytes: 0 });
  reader.write(Buffer.from(body, 'latin1'));
  reader.end();
  if (parameters.fault !== null) return parameters.fault.code;
  const files = [...parameters.files].map(([name, { bytes }]) => [`${name} (file)`, bytes] as const);
  return { ...Object.fromEntries(parameters.values), ...Object.fromEntries(files) };
}

/** Facts of tdlib/telegram-bot-api and tdlib/td: file and function, the fact, a request, and what is read of it. */
const FACTS: [source: string, fact: string, type: string, body: string, read: object | number, query?: string][] = [
  ['HttpReader.cpp do_read_next', 'a type is found anywhere in the header', `x; ${FORM}`, 'a=1', { a: '1' }],
  ['HttpReader.cpp do_read_next', 'a type is found in any case', 'APPLICATION/JSON', '{"a":1}', { a: '1' }],
  [
    'HttpReader.cpp do_read_next',
    'a form of parts comes before the others',
    `${FORM}; ${PARTS}`,
    `${named('a', '1')}--B--`,
    { a: '1' },
  ],
  ['HttpReader.cpp do_read_next', 'a form comes before JSON', `${JSON_TYPE} ${FORM}`, '{"a":1}', { '{"a":1}': '' }],
  ['HttpReader.cpp do_read_next', 'a body of another type is a file', 'text/plain', 'a=1', { 'file (file)': 3 }],
  ['HttpReader.cpp do_read_next', 'an empty one of another type is none', 'text/plain', '', {}],
  ['HttpReader.cpp do_read_next', 'a boundary is needed', 'multipart/form-data', `${named('a', '1')}--B--`, 400],
  ['HttpReader.cpp do_read_next', 'a boundary has a value', 'multipart/form-data; boundary', '', 400],
  ['HttpReader.cpp do_read_next', 'a boundary is not empty', 'multipart/form-data; boundary=', '', 400],
  [
    'HttpReader.cpp do_read_next',
    'the first boundary counts',
    `${PARTS}; boundary=C`,
    `${named('a', '1')}--B--`,
    { a: '1' },
  ],
  [
    'HttpReader.cpp do_read_next',
    'a boundary may have another name in front',
    'multipart/form-data; xboundary=B',
    `${named('a', '1')}--B--`,
    { a: '1' },
  ],
  [
    'HttpReader.cpp do_read_next',
    'a boundary may stand before the type',
    'boundary=B; multipart/form-data',
    `${named('a', '1')}--B--`,
    { a: '1' },
  ],
  [
    'HttpReader.cpp do_read_next',
    'a boundary may be quoted',
    'multipart/form-data; boundary="B"',
    `${named('a', '1')}--B--`,
    { a: '1' },
  ],
  [
    'HttpReader.cpp do_read_next',
    'a boundary keeps its spaces',
    'multipart/form-data; boundary= B',
    `${named('a', '1')}--B--`,
    400,
  ],
  [
    'HttpReader.cpp do_read_next',
    'a boundary has at most 70 bytes',
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
    '',
    400,
  ],
  ['HttpReader.cpp read_next', 'a form of parts must be closed', PARTS, named('a', '1'), 400],
  ['HttpReader.cpp read_next', 'a closing boundary alone is no form', PARTS, '--B--\r\n', 400],
  ['HttpReader.cpp read_next', 'an empty body that was sent is no form', PARTS, '', 400],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'text may stand before the first boundary, on its line',
    PARTS,
    `text ${named('a', '1')}--B--`,
    { a: '1' },
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'after the last boundary nothing counts',
    PARTS,
    `${named('a', '1')}--B--\r\n${named('b', '2')}--B--`,
    { a: '1' },
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'any two bytes follow a boundary',
    PARTS,
    `${named('a', '1').replace('--B\r\n', '--Bxx')}--B--`,
    { a: '1' },
  ],
  ['HttpReader.cpp parse_multipart_form_data', 'headers are needed', PARTS, '--B\r\n\r\n\r\n1\r\n--B--', 400],
  ['HttpReader.cpp parse_multipart_form_data', 'no headers at all are no headers', PARTS, '--B\r\n\r\n1\r\n--B--', 400],
  ['HttpReader.cpp parse_multipart_form_data', 'a header needs a colon', PARTS, `--B\r\nx\r\n\r\n1\r\n--B--`, 400],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'a header may be folded',
    PARTS,
    `${part('form-data;\r\n name="a"', '1')}--B--`,
    { a: '1' },
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'a disposition is form-data',
    PARTS,
    `${part('attachment; name="a"', '1')}--B--`,
    400,
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'form-data is written small',
    PARTS,
    `${part('Form-Data; name="a"', '1')}--B--`,
    400,
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'a part has a name',
    PARTS,
    `${part('form-data; x="a"', '1')}--B--`,
    400,
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'the key of a name is written small',
    PARTS,
    `${part('form-data; Name="a"', '1')}--B--`,
    400,
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'the last name counts',
    PARTS,
    `${part('form-data; name="a"; name="b"', '1')}--B--`,
    { b: '1' },
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'the last disposition counts',
    PARTS,
    `${part('form-data; name="a"\r\ncontent-disposition: form-data; name=b', '1')}--B--`,
    { b: '1' },
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'a name is percent-decoded',
    PARTS,
    `${named('%6Dethod', 'x')}--B--`,
    { method: 'x' },
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'a plus in a name is a plus',
    PARTS,
    `${named('a+b', 'x')}--B--`,
    { 'a+b': 'x' },
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'a backslash keeps the character behind it',
    PARTS,
    `${part('form-data; name="\\m\\"x"', '1')}--B--`,
    { 'm"x': '1' },
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'a quoted name must be closed',
    PARTS,
    `${part('form-data; name="a', '1')}--B--`,
    400,
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'a semicolon follows a quoted name',
    PARTS,
    `${part('form-data; name="a" x=1', '1')}--B--`,
    400,
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'a name without quotes ends at a semicolon',
    PARTS,
    `${part('form-data; name= a b ;x=1', '1')}--B--`,
    { 'a b': '1' },
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'filename makes a file',
    PARTS,
    `${part('form-data; name="a"; filename=', '12')}--B--`,
    { 'a (file)': 2 },
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'filename* makes none',
    PARTS,
    `${part('form-data; name="a"; filename*=utf-8\'\'x', '1')}--B--`,
    { a: '1' },
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'a part may be a form',
    PARTS,
    `${part(`form-data; name="x"\r\nContent-Type: ${FORM}`, 'a=%31&b=2')}--B--`,
    { a: '1', b: '2' },
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'that type is written small',
    PARTS,
    `${part(`form-data; name="x"\r\nContent-Type: Application/x-www-form-urlencoded`, 'a=1')}--B--`,
    { x: 'a=1' },
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'fifty files may come',
    PARTS,
    `${part('form-data; name="a"; filename="f"', '1').repeat(50)}--B--`,
    { 'a (file)': 1 },
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'no more',
    PARTS,
    `${part('form-data; name="a"; filename="f"', '1').repeat(51)}--B--`,
    413,
  ],
  [
    'HttpReader.cpp parse_multipart_form_data',
    'headers have 256 KiB together',
    PARTS,
    `${part(`form-data; name="a"; x=${'y'.repeat(270_000)}`, '1')}--B--`,
    431,
  ],
  ['HttpReader.cpp parse_parameters', 'an equals sign in a value is kept', FORM, 'a=1=2', { a: '1=2' }],
  ['HttpReader.cpp parse_parameters', 'a name may have no value', FORM, 'a&b=', { a: '', b: '' }],
  [
    'HttpReader.cpp parse_parameters',
    'names and values are decoded, a plus is a space',
    FORM,
    '%61+=%31+',
    { 'a ': '1 ' },
  ],
  ['misc.cpp url_decode', 'what is no escape stays', FORM, 'a=%zz%4&b=%', { a: '%zz%4', b: '%' }],
  ['misc.cpp url_decode', 'bytes are decoded, not characters', FORM, 'a=\xd0%9f', { a: 'П' }],
  ['misc.cpp url_decode', 'a text is decoded once', FORM, 'a=%2541', { a: '%41' }],
  ['Query.h arg', 'the first of a name counts', FORM, 'a=1&a=2', { a: '1' }],
  ['HttpReader.cpp parse_url', 'the query comes first', JSON_TYPE, '{"a":2,"b":3}', { a: '1', b: '3' }, 'a=1'],
  ['HttpReader.cpp parse_json_parameters', 'a string is the content', JSON_TYPE, ' "te\\xt"', { content: 'text' }],
  ['HttpReader.cpp parse_json_parameters', 'a string with a space behind it is nothing', JSON_TYPE, '"text" ', {}],
  ['HttpReader.cpp parse_json_parameters', 'members before a fault are kept', JSON_TYPE, '{"a":1,"b":nil}', { a: '1' }],
  ['HttpReader.cpp parse_json_parameters', 'also those of an object that is cut off', JSON_TYPE, '{"a":1', { a: '1' }],
  ['HttpReader.cpp parse_json_parameters', 'and those before what follows it', JSON_TYPE, '{"a":1} x', { a: '1' }],
  ['HttpReader.cpp parse_json_parameters', 'a comma may stand before the end', JSON_TYPE, '{"a":1,}', { a: '1' }],
  [
    'HttpReader.cpp parse_json_parameters',
    'a value that is no string is raw',
    JSON_TYPE,
    '{"a":[ 1,{"\\b":null}], "b":true}',
    { a: '[ 1,{"\\b":null}]', b: 'true' },
  ],
  [
    'JsonBuilder.cpp json_string_decode',
    'a backslash keeps a letter that it does not know',
    JSON_TYPE,
    '{"\\chat\\_id":"\\\'"}',
    { chat_id: "'" },
  ],
  ['JsonBuilder.cpp json_string_decode', 'line breaks may stand in a string', JSON_TYPE, '{"a":"1\n2"}', { a: '1\n2' }],
  [
    'JsonBuilder.cpp json_string_decode',
    'two surrogates make a character',
    JSON_TYPE,
    '{"a":"\\ud83d\\ude00"}',
    { a: '😀' },
  ],
  ['JsonBuilder.cpp json_string_decode', 'in any order', JSON_TYPE, '{"a":"\\ude00\\ud83d"}', { a: '\u{9003d}' }],
  ['JsonBuilder.cpp json_string_decode', 'an escape has four digits', JSON_TYPE, '{"a":"1","b":"\\u12g4"}', { a: '1' }],
  [
    'JsonBuilder.cpp do_json_skip',
    'a number is what looks like one',
    JSON_TYPE,
    '{"a":-.e+5,"b":1}',
    { a: '-.e+5', b: '1' },
  ],
  [
    'JsonBuilder.cpp do_json_skip',
    'a word may be followed by another, which ends the reading',
    JSON_TYPE,
    '{"a":trueish,"b":1}',
    { a: 'true' },
  ],
  ['JsonBuilder.cpp do_json_skip', 'within a value no comma stands before the end', JSON_TYPE, '{"a":[1,],"b":1}', {}],
];

describe('what the platform reads, by its source', () => {
  test.each(FACTS)('%s: %s', (...[, , type, body, expected, query]) => {
    expect(read(type, body, query)).toEqual(expected);
  });

  test('misc.h to_integer: an integer has 32 bits', () => {
    const parameters = parametersOf('a=4294967301&b=2147483648&c=-2147483649&d=+5&e=-&f= 5');
    const integers = [...'abcdef'].map((name) => integerParameter(parameters, name, 9));
    expect(integers).toEqual([5, -2147483648, 2147483647, 0, 0, 0]);
  });

  test('Client.cpp to_bool: a switch is trimmed of bytes that the platform takes for spaces', () => {
    const parameters = parametersOf('a=%0b%00yes%09&b=%0ctrue&c=%C2%A0true&d=TRUE');
    expect([...'abcd'].map((name) => switchParameter(parameters, name))).toEqual([true, false, false, true]);
  });

  test.each([
    ['["\\1", 2,{"a":1,"a":2}]', ['1', 2, { a: 1 }]],
    ['[1] ', [1]],
    ['[1] x', undefined],
    ['{"a":[}', undefined],
    ['"\\u00e9ж"', 'éж'],
    ['', undefined],
  ])('JsonBuilder.h json_decode: %s', (text, value) => {
    expect(parsePlatformJson(text)).toEqual(value);
  });
});
