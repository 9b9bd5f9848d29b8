import { describe, expect, test } from '@jest/globals';
import { type Header, readHeader } from './script-header.ts';
import { nameArguments } from './script-names.ts';
import { headerOf } from './script-text.ts';

const noLib = (): Header => {
  throw new Error('no such file');
};
const HEADER = `-- Does something.
-- @keys state, …log
-- @args nowMs: number, botId: digits  an explanation
--   isOn: flag, name: text?
--   ...updates id: number, raw: text
--     kind: text  more of an update
-- @reply
--   GONE
--   OK count: number, more: flag
-- @row pair left: text, right: number
`.replace('…', '...');
const BODY = `local now = nowMs + tonumber(botId)
if isOn and name ~= '' then return { 'GONE' } end
for i in each(updates) do redis.call('SET', log[now], updates.raw[i], updates.id[i], updates.kind[i], state) end
return reply.OK{ more = f(1, { 2 }), count = count(updates) }
`;
const named = (body: string, header = HEADER) => {
  const text = `${header}${body}`;
  return nameArguments(text, readHeader(text, noLib), false).replace(text.slice(0, text.indexOf(body)), '');
};

test('names become positions, in the order of the header', () => {
  expect(named(BODY)).toBe(`local state = KEYS[1]
local nowMs, botId, isOn, name = tonumber(ARGV[1]), ARGV[2], (ARGV[3] == '1'), ARGV[4]
local now = nowMs + tonumber(botId)
if isOn and name ~= '' then return { 'GONE' } end
for i = 5, #ARGV, 3 do redis.call('SET', KEYS[1 + now], ARGV[i + 1], tonumber(ARGV[i]), ARGV[i + 2], state) end
return { 'OK', ((#ARGV - 5 + 1) / 3), f(1, { 2 }) }
`);
});

test('of two lists the number of the first is sent', () => {
  const header = '-- @args\n--   ...first a: text, b: text\n--   ...second: text\n';
  expect(named('f(span(first), span(second))\n', header)).toBe(
    'local firstLast = 1 + 2 * tonumber(ARGV[1])\nf(2, firstLast, firstLast + 1, #ARGV)\n',
  );
});

test('a row has its fields in the order of the header, and what stands behind it', () => {
  const header = `-- @reply\n--   OK rows: pair[]\n-- @row pair left: text, right: number\n`;
  const body = `return reply.OK{ rows = { { fields.pair{ right = 'a, }', left = x } }, { fields.pair{ right = 2, left = 3, more } } } }\n`;
  expect(named(body, header)).toBe(`return { 'OK', { { x, 'a, }' }, { 3, 2, more } } }\n`);
});

describe('a script is refused', () => {
  const refused: [string, string, string?][] = [
    ['the name botId is there twice', BODY, HEADER.replace('-- @keys state', '-- @keys botId')],
    ['nothing uses the name state', BODY.replace(', state)', ')')],
    ['nothing uses the name botId', BODY.replace('tonumber(botId)', "s.botId .. 'botId' -- botId")],
    ['nothing uses the name updates.kind', BODY.replace(', updates.kind[i]', '')],
    ['KEYS[ stands beside names', BODY.replace('state)', 'state, KEYS[1])')],
    ['ARGV[ stands beside names', BODY.replace('state)', 'state, ARGV[1])')],
    ['the header has no name updates.lane', BODY.replace('state)', 'state, updates.lane[i])')],
    ['OFF is no outcome of the reply', BODY.replace('state) end', "state) return { 'OFF' } end")],
    ['OK has fields: write reply.OK { … }', BODY.replace('state) end', "state) return { 'OK', 1, 2 } end")],
    ['OK does not get count', BODY.replace(', count = count(updates)', '')],
    ['OK has no size', BODY.replace('count = count(updates)', 'count = 1, size = 2')],
    ['OK gets more twice', BODY.replace('count = count(updates)', 'count = 1, more = 2')],
    ['nothing answers GONE', BODY.replace("{ 'GONE' }", 'nil')],
    ['"nowMs" is not a name and a type', BODY, HEADER.replace('nowMs: number', 'nowMs')],
    ['nowMs cannot be numbr', BODY, HEADER.replace('nowMs: number', 'nowMs: numbr')],
    ['isOn cannot be flag?', BODY, HEADER.replace('isOn: flag', 'isOn: flag?')],
    ['"table" cannot be a name', BODY, HEADER.replace('@keys state', '@keys table')],
    ['keys follow ...log', BODY, HEADER.replace('...log', '...log, other')],
  ];
  test.each(refused)('%s', (fault, body, header = HEADER) => {
    expect(() => named(body, header)).toThrow(fault);
  });
});

test('a header goes on with that of a file of lib/', () => {
  const { keys, args, lists, outcomes } = headerOf('claim-for-program');
  expect([keys[0]?.name, keys.at(-1)?.name]).toEqual(['state', 'deliveredAhead']);
  expect([args[0]?.name, args.at(-1)?.name]).toEqual(['registrationId', 'revision']);
  expect(lists.map(({ name }) => name)).toEqual(['settled']);
  expect(outcomes.map(({ name }) => name)).toEqual(['GONE', 'FENCED', 'OFF', 'LATE', 'OK']);
});
