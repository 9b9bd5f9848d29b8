import { randomInt } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import { readSettings } from '@flotilla/runtime/env.ts';
import { bodyUnpacker, isBehindEnd } from '@flotilla/telegram/parameters/body-unpacker.ts';
import { parameterReader, parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { newParams } from './params.ts';
import { parseFormParams } from './parse-form-params.ts';
import { parseBody } from './read-params.ts';
import { unpackBody } from './unpack-body.ts';

const settings = readSettings(
  z.object({
    DIFFERENTIAL_INPUTS: z.coerce.number().int().positive().default(4000),
    /** The seed of an earlier run, to repeat its inputs. */
    DIFFERENTIAL_SEED: z.coerce.number().int().optional(),
  }),
);
const INPUTS = settings.DIFFERENTIAL_INPUTS;
const SEED = settings.DIFFERENTIAL_SEED ?? randomInt(2 ** 31);

/** A request as it is sent; in the texts, each character is a byte. */
type Request = { query: string; type: string; body: string; cuts: number[]; packing: Packing };
type Packing =
  | { kind: 'none' }
  | { kind: 'gzip' | 'deflate'; behind: string; damage: number | null; cut: number | null };
type Outcome = { error: number } | { method: string; values: [string, string][]; files: [string, string][] };

const LIMITS = { parameterBytes: 1 << 20, fileBytes: 1 << 20 };
const BROKEN: Outcome = { error: 400 };

function outcomeOf(values: ReadonlyMap<string, string>, files: [string, Buffer][]): Outcome {
  const contents = files.map(([name, bytes]): [string, string] => [name, bytes.toString('latin1')]);
  return { method: values.get('method') ?? '', values: [...values], files: contents };
}

/** Reads as the proxy does: the body in chunks, which are cut anywhere. */
async function readByProxy({ query, type, cuts }: Request, sent: Buffer, isPacked: boolean): Promise<Outcome> {
  const body = isPacked ? await unpackByProxy(sent) : sent;
  if (body === null) return BROKEN;
  const parameters = parametersOf(query);
  const reader = parameterReader(type, parameters, LIMITS);
  let from = 0;
  for (let turn = 0; from < body.length; turn += 1) {
    // A copy for each chunk, as it comes from a socket.
    const chunk = Buffer.from(body.subarray(from, from + (cuts[turn % cuts.length] ?? body.length)));
    reader.write(chunk);
    from += chunk.length;
  }
  reader.end();
  const { fault, values, files } = parameters;
  return fault === null
    ? outcomeOf(
        values,
        [...files].map(([name, { content }]) => [name, content]),
      )
    : { error: fault.code };
}

async function unpackByProxy(sent: Buffer): Promise<Buffer | null> {
  const unpacker = bodyUnpacker();
  const pieces: Buffer[] = [];
  unpacker.on('data', (piece: Buffer) => pieces.push(piece));
  const whole = new Promise<boolean>((resolve) => {
    unpacker.on('end', () => resolve(true)).on('error', (error) => resolve(isBehindEnd(error)));
  });
  unpacker.end(sent);
  return (await whole) ? Buffer.concat(pieces) : null;
}

function readByPlatform({ query, type }: Request, sent: Buffer, isPacked: boolean): Outcome {
  const body = isPacked ? unpackBody(sent) : sent;
  if (body === null) return BROKEN;
  const params = newParams();
  parseFormParams(params, Buffer.from(query, 'latin1'));
  const refusal = parseBody(params, type, body, query.length);
  if (refusal !== null) return { error: refusal.refusedStatus };
  return outcomeOf(
    params.values,
    [...params.files].map(([name, { bytes }]) => [name, bytes]),
  );
}

function pack({ body, packing }: Request): Buffer {
  const bytes = Buffer.from(body, 'latin1');
  if (packing.kind === 'none') return bytes;
  const packed = packing.kind === 'gzip' ? gzipSync(bytes) : deflateSync(bytes);
  const sent = Buffer.concat([packed, packing.behind === 'again' ? packed : Buffer.from(packing.behind)]);
  if (packing.damage !== null) sent[packing.damage % sent.length]! ^= 1 << (packing.damage % 8);
  return packing.cut === null ? sent : sent.subarray(0, packing.cut % sent.length);
}

const among = (...texts: string[]) => fc.constantFrom(...texts);
const listOf = (piece: fc.Arbitrary<string>, maxLength: number, separator = '') =>
  fc.array(piece, { maxLength }).map((pieces) => pieces.join(separator));

const ODD = among(
  ...[
    '%',
    '%6',
    '%6D',
    '%zz',
    '%2541',
    '+',
    '&',
    '=',
    ';',
    '"',
    "'",
    '\\',
    '\\m',
    '\\"',
    '\\u006d',
    '\\u12',
    '\\ud83d',
    '\\ude00',
  ],
  ...[' ', '\t', '\r', '\n', '\r\n', '\v', '\0', '\x7f', '\x80', '\xff', '\xd0\x9f', '\xed\xa0\x80', 'П'],
  ...[
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '-',
    '--',
    'e',
    '.',
    '\r\n\r\n',
    '--B',
    '\r\n--B',
    '\r\n--B--',
    '--B--',
    '*',
    '/',
    '#',
    '?',
  ],
).map((text) => Buffer.from(text, text === 'П' ? 'utf8' : 'latin1').toString('latin1'));
const WORD = among(
  'method',
  'method',
  'method',
  'chat_id',
  'url',
  'limit',
  'a',
  'getUpdates',
  'sendMessage',
  'true',
  'null',
  '1',
  '-1.5e+3',
  '',
);
const TEXT = fc.oneof({ weight: 4, arbitrary: WORD }, { weight: 1, arbitrary: listOf(fc.oneof(WORD, ODD), 4) });

const PAIRS = listOf(
  fc.oneof(
    fc.tuple(TEXT, TEXT).map(([name, value]) => `${name}=${value}`),
    TEXT,
  ),
  4,
  '&',
);

const STRING = TEXT.map((text) => `"${text}"`);
const SPACE = among('', '', ' ', '\n\t');
const VALUE: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(STRING, among('1', '-0.e', 'true', 'false', 'null', 'nul', 'truex', 'e5', '+', '.', '[', '', '0x1')),
    listOf(tie('value'), 3, ',').map((inner) => `[${inner}]`),
    listOf(
      fc.tuple(STRING, tie('value')).map(([name, value]) => `${name}:${value}`),
      3,
      ', ',
    ).map((inner) => `{${inner}}`),
    fc.integer({ min: 98, max: 103 }).map((levels) => `${'['.repeat(levels)}${']'.repeat(levels)}`),
  ),
})).value;
const MEMBER = fc
  .tuple(SPACE, STRING, SPACE, VALUE, SPACE)
  .map(([a, name, b, value, c]) => `${a}${name}${b}:${b}${value}${c}`);
const JSON_BODY = fc.oneof(
  { weight: 6, arbitrary: listOf(MEMBER, 4, ',').map((members) => `{${members}}`) },
  { weight: 1, arbitrary: STRING },
  { weight: 1, arbitrary: listOf(fc.oneof(WORD, ODD), 8) },
);

const DISPOSITION_VALUE = fc.oneof(STRING, STRING, TEXT);
const KEY = among('name', 'name', 'name', 'filename', 'filename*', 'Name', 'x', ' name ', 'name*');
const DISPOSITION = fc
  .tuple(
    among('form-data;', 'form-data; ', 'form-data', 'Form-Data;', 'attachment;'),
    listOf(
      fc.tuple(KEY, SPACE, DISPOSITION_VALUE).map(([key, space, value]) => `${key}=${space}${value}`),
      3,
      ';',
    ),
  )
  .map(([kind, rest]) => `${kind}${rest}`);
const PLAIN_DISPOSITION = fc
  .tuple(WORD, among('', '', '; filename="f"', '; filename=a b.txt', "; filename*=utf-8''x"))
  .map(([name, file]) => `form-data; name="${name}"${file}`);
const HEADER = fc.oneof(
  { weight: 8, arbitrary: PLAIN_DISPOSITION.map((value) => `Content-Disposition: ${value}`) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(among('content-disposition', ' Content-Disposition ', 'X'), DISPOSITION)
      .map((both) => both.join(':')),
  },
  {
    weight: 2,
    arbitrary: among('text/plain', 'application/x-www-form-urlencoded', 'Application/X-www-form-urlencoded').map(
      (type) => `Content-Type: ${type}`,
    ),
  },
  { weight: 1, arbitrary: listOf(fc.oneof(WORD, ODD), 4) },
);
const PART = fc
  .tuple(
    fc.array(HEADER, { minLength: 1, maxLength: 2 }),
    among('\r\n', '\r\n', '\r\n', '\r\n ', '\n'),
    fc.oneof(TEXT, PAIRS),
  )
  .map(([headers, line, content]) => `--B\r\n${headers.join(line)}\r\n\r\n${content}\r\n`);
const PARTS_BODY = fc
  .tuple(
    among('', '', '', '\r\n', 'text', 'text\r\n', '-'),
    listOf(PART, 4),
    among('--B--', '--B--', '--B--\r\n', '--B', '', '--B-', '--B--\r\n--B'),
  )
  .map((pieces) => pieces.join(''));

const BOUNDARY = among(
  'boundary=B',
  'boundary=B',
  'boundary="B"',
  'boundary="B',
  'Boundary=B; boundary=C',
  'xboundary=B',
  'boundary = B',
  'boundary=',
  'boundary',
  `boundary=${'B'.repeat(71)}`,
  'boundary="B";x',
  'boundaryx=B;',
);
const TYPE_OF_PARTS = fc
  .tuple(among('multipart/form-data; ', 'Multipart/Form-Data;', 'multipart/form-data'), BOUNDARY)
  .map((both) => both.join(''));
const REQUEST_BODY = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: TYPE_OF_PARTS, body: PARTS_BODY }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: among('application/json', 'application/json; charset=utf-8', 'text/APPLICATION/JSON'),
      body: JSON_BODY,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: among('application/x-www-form-urlencoded', 'x application/x-www-form-urlencoded; application/json'),
      body: PAIRS,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.oneof(TYPE_OF_PARTS, among('', 'text/plain', 'application/json', 'application/x-www-form-urlencoded')),
      body: fc.oneof(PARTS_BODY, JSON_BODY, PAIRS),
    }),
  },
);

type Change = { at: number; drop: number; put: string };
const CHANGE = fc.record({ at: fc.nat(2000), drop: fc.constantFrom(0, 0, 1, 2, 7), put: fc.oneof(ODD, WORD) });
const CHANGES = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Change[]>([]) },
  { weight: 2, arbitrary: fc.array(CHANGE, { minLength: 1, maxLength: 3 }) },
);
function changed(text: string, changes: Change[]): string {
  return changes.reduce((before, { at, drop, put }) => {
    const from = at % (before.length + 1);
    return before.slice(0, from) + put + before.slice(from + drop);
  }, text);
}

const PACKING: fc.Arbitrary<Packing> = fc.oneof(
  { weight: 19, arbitrary: fc.constant<Packing>({ kind: 'none' }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom<'gzip' | 'deflate'>('gzip', 'deflate'),
      behind: among('', '', '', 'junk', '\0', 'again'),
      damage: fc.option(fc.nat(4000), { freq: 3 }),
      cut: fc.option(fc.nat(4000), { freq: 3 }),
    }),
  },
);
const REQUEST: fc.Arbitrary<Request> = fc
  .record({
    query: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: PAIRS }),
    request: REQUEST_BODY,
    changes: CHANGES,
    cuts: fc.oneof(
      fc.constant<number[]>([]),
      fc.constant<number[]>([1]),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
    ),
    packing: PACKING,
  })
  .map(({ query, request: { type, body }, changes, cuts, packing }) => {
    return { query, type, body: changed(body, changes), cuts, packing };
  });

test(
  'the proxy and the simulator, which was written from the source of the platform, read every request alike',
  async () => {
    const seen = { read: 0, refused: 0, methods: 0, files: 0 };
    const property = fc.asyncProperty(REQUEST, async (request) => {
      const sent = pack(request);
      const isPacked = request.packing.kind !== 'none';
      const byPlatform = readByPlatform(request, sent, isPacked);
      expect(await readByProxy(request, sent, isPacked)).toEqual(byPlatform);
      if ('error' in byPlatform) seen.refused += 1;
      else {
        seen.read += 1;
        if (byPlatform.method !== '') seen.methods += 1;
        if (byPlatform.files.length > 0) seen.files += 1;
      }
    });
    await fc.assert(property, { numRuns: INPUTS, seed: SEED });
    process.stdout.write(`DIFFERENTIAL_SEED=${SEED}, ${INPUTS} inputs: ${JSON.stringify(seen)}\n`);
    // Otherwise the inputs would show little.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(INPUTS / 100);
  },
  60_000 + 10 * INPUTS,
);
