import { describe, expect, test } from '@jest/globals';
import { usernameKey } from './username-key.ts';

const LAST_CODE_POINT = 0x10_ffff;
const SURROGATES = { first: 0xd800, last: 0xdfff };
/** The largest entry that an index of Postgres can hold. */
const MAX_INDEXED_BYTES = 2704;
const LONGEST_USERNAME = 64;

function* everyCharacter(): Generator<string> {
  for (let code = 1; code <= LAST_CODE_POINT; code += 1) {
    if (code < SURROGATES.first || code > SURROGATES.last) yield String.fromCodePoint(code);
  }
}

describe('the key that usernames are compared by', () => {
  test.each([
    ['grace', 'ｇＲａｃｅ', 'GRACE'],
    ['ångström', 'A\u030angstro\u0308m', 'ÅNGSTRÖM', '\u212bngström'],
    ['straße', 'STRASSE', 'stra\u1e9ee'],
    ['ﬁve', 'FIVE', 'five'],
    ['οδος', 'ΟΔΟΣ', 'οδοσ'],
    ['ⅷ', 'VIII', 'viii'],
  ])('is one for %s, whatever its spelling', (first, ...others) => {
    for (const other of others) expect([other, usernameKey(other)]).toEqual([other, usernameKey(first)]);
  });

  test('is another for another name', () => {
    const names = ['grace', 'grace1', 'gräce', 'grace ', 'gr\u200bace', 'ğrace'];
    expect(new Set(names.map(usernameKey)).size).toBe(names.length);
  });

  test('is its own key, and that of each form of every character there is', () => {
    const astray: string[] = [];
    for (const one of everyCharacter()) {
      const key = usernameKey(one);
      const forms = [key, one.toUpperCase(), one.toLowerCase(), one.normalize('NFKC'), one.normalize('NFD')];
      if (forms.some((form) => usernameKey(form) !== key)) astray.push(one);
    }
    expect(astray).toEqual([]);
  });

  test('fits an index, however long its characters become', () => {
    let longest = 0;
    for (const one of everyCharacter()) {
      longest = Math.max(longest, Buffer.byteLength(usernameKey(one)) / one.length);
    }
    expect(longest * LONGEST_USERNAME).toBeLessThan(MAX_INDEXED_BYTES);
  });
});
