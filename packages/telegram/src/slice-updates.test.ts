import { describe, expect, test } from '@jest/globals';
import { sliceUpdate, sliceUpdates } from './slice-updates.ts';

describe('sliceUpdates', () => {
  test('cuts each update out with its own bytes', () => {
    const first = '{"update_id":7,\n"message":{"big":12345678901234567890,"\\u0074ext":"a\\/b \\ud800 \\"}]","x":[ ]}}';
    const second = '{ "message" : { } , "update_id" : 8 }';
    const sliced = sliceUpdates(` { "ok" : true , "result" : [ ${first} , ${second}\n] , "note":"}" } `);
    expect(sliced?.updates.map((update) => update.raw)).toEqual([first, second]);
    expect(sliced?.updates.map((update) => update.updateId)).toEqual([7, 8]);
    expect(sliced?.updates.map((update) => update.raw.slice(update.idStart, update.idEnd))).toEqual(['7', '8']);
    expect(sliced?.updates[0]?.value).toEqual(JSON.parse(first));
  });

  test('an empty result has no updates', () => {
    expect(sliceUpdates('{"ok":true,"result":[]}')).toEqual({ updates: [] });
  });

  test('finds the names however they are escaped, and lets the last of two win as JSON.parse does', () => {
    const body =
      '{"ok":true,"result":[{"update_id":1}],"res\\u0075lt":[{"update_id":2,"update\\u005fid":3},{"update_id":4}]}';
    const sliced = sliceUpdates(body);
    expect(sliced?.updates.map((update) => update.updateId)).toEqual([3, 4]);
  });

  test.each([
    ['an error', '{"ok":false,"error_code":409,"description":"Conflict"}'],
    ['no JSON', '<html>'],
    ['an unfinished answer', '{"ok":true,"result":[{"update_id":1}'],
    ['a result that is no list', '{"ok":true,"result":true}'],
    ['no result', '{"ok":true}'],
    ['null', 'null'],
    ['an element that is no object', '{"ok":true,"result":[1]}'],
    ['an element without update_id', '{"ok":true,"result":[{"message":{"update_id":5}}]}'],
    ['an update_id that is no integer', '{"ok":true,"result":[{"update_id":1.5}]}'],
    ['an update_id beyond 2^53', '{"ok":true,"result":[{"update_id":9007199254740993}]}'],
  ])('answers null to %s', (_, body) => {
    expect(sliceUpdates(body)).toBeNull();
  });

  test('keeps the bytes of any JSON, with any whitespace in it', () => {
    const random = seededRandom(20261120);
    for (let round = 0; round < 300; round++) {
      const raws = Array.from({ length: random(5) }, (_, index) => {
        return `{${space(random)}"update_id"${space(random)}:${space(random)}${round * 10 + index}${space(random)},"p":${randomJson(random, 4)}}`;
      });
      const gap = () => space(random);
      const body = `${gap()}{${gap()}"x":${randomJson(random, 2)},"ok":true${gap()},"result"${gap()}:${gap()}[${gap()}${raws.join(`${gap()},${gap()}`)}${gap()}]${gap()}}${gap()}`;
      const sliced = sliceUpdates(body);
      expect(sliced?.updates.map((update) => update.raw)).toEqual(raws);
      expect(sliced?.updates.map((update) => JSON.parse(update.raw))).toEqual(
        sliced?.updates.map((update) => update.value),
      );
    }
  });
});

describe('sliceUpdate', () => {
  test('reads one update and leaves out the whitespace around it', () => {
    const sliced = sliceUpdate('\n{"update_id": 12 ,"poll":{}}\r\n');
    expect(sliced).toMatchObject({ updateId: 12, raw: '{"update_id": 12 ,"poll":{}}' });
    expect(sliced?.raw.slice(sliced.idStart, sliced.idEnd)).toBe('12');
  });

  test.each(['', '[]', '{}', '{"update_id":"1"}', '{"update_id":-1}', '"x"'])('answers null to %p', (body) => {
    expect(sliceUpdate(body)).toBeNull();
  });
});

type Random = (below: number) => number;

function seededRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function space(random: Random): string {
  return ['', '', ' ', '\n', '\r\n\t', '   '][random(6)] ?? '';
}

function randomJson(random: Random, depth: number): string {
  const size = random(4);
  const kind = random(depth > 0 ? 6 : 4);
  if (kind === 0) return ['0', '-1.5e+10', '123456789012345678901234567890', '1E-7'][random(4)] ?? '0';
  if (kind === 1) return ['true', 'false', 'null'][random(3)] ?? 'null';
  if (kind <= 3) return randomString(random);
  const parts = Array.from({ length: size }, () => {
    const value = `${space(random)}${randomJson(random, depth - 1)}${space(random)}`;
    return kind === 4 ? value : `${space(random)}${randomString(random)}${space(random)}:${value}`;
  });
  const inner = parts.join(',') || space(random);
  return kind === 4 ? `[${inner}]` : `{${inner}}`;
}

const STRING_PIECES = ['a', '\\"', '\\\\', '{', '}', '[', ']', ',', ':', '\\u0041', '\\/', '\\ud800', 'é', '😀', '\\n'];

function randomString(random: Random): string {
  const pieces = Array.from({ length: random(8) }, () => STRING_PIECES[random(STRING_PIECES.length)]);
  return `"${pieces.join('')}"`;
}
