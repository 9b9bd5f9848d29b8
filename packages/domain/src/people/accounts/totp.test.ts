import { describe, expect, test } from '@jest/globals';
import { codeAt, stepOfCode, toBase32, totpUri } from './totp.ts';

const SECRET = Buffer.from('12345678901234567890');

describe('a code of an authenticator app', () => {
  // The last six digits of RFC 6238, appendix B.
  test.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1234567890, '005924'],
    [20000000000, '353130'],
  ])('is that of the standard at %d s', (atS, code) => {
    expect(codeAt(SECRET, atS * 1000)).toBe(code);
  });

  test('counts a step early and late, no more, and once', () => {
    const at = (nowMs: number, lastStep = 0) => stepOfCode(SECRET, '287082', { nowMs, last_step: lastStep });
    expect([29_000, 30_000, 59_000, 89_000, 90_000].map((ms) => at(ms))).toEqual([1, 1, 1, 1, null]);
    expect(at(59_000, 1)).toBeNull();
    expect(stepOfCode(SECRET, '28708', { nowMs: 59_000, last_step: 0 })).toBeNull();
  });
});

test('a secret is written as apps read it', () => {
  expect(toBase32(Buffer.from('foobar'))).toBe('MZXW6YTBOI');
  expect(totpUri(SECRET, 'Flotilla', 'a b')).toBe(
    'otpauth://totp/Flotilla:a%20b?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Flotilla',
  );
});
