import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { hiddenSecret, SecretMask, withoutSecret } from './secret-mask.ts';

const BOT = '123:AAabcdefghijklmnopqrstuvwxyz0123456';
const PROGRAM = '123:fvABCDEFGHIJKLMNOPQRSTUVWXYZ6543210';

/** The pieces that leave for these chunks. */
function pieces(chunks: Buffer[], token = BOT): Buffer[] {
  const mask = new SecretMask(hiddenSecret(token, PROGRAM));
  return [...chunks.map((chunk) => mask.write(chunk)), mask.end(null) ?? Buffer.alloc(0)];
}

function cut(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

test('the secret is replaced wherever the chunks are cut, and nothing else changes', () => {
  const secret = BOT.slice(4);
  const text = `{"a":"${BOT}","b":"AAabc ${secret}${secret} AAAAabcdef","c":"%3A${secret}"} AAabcdefghijkl`;
  const expected = text.replaceAll(secret, PROGRAM.slice(4));
  for (const size of [1, 2, 7, 34, 35, 36, 1000]) {
    expect(Buffer.concat(pieces(cut(Buffer.from(text), size))).toString()).toBe(expected);
  }
  expect(expected).not.toContain(secret);
});

test('the last chunk may come with the end', () => {
  const text = Buffer.from(`"${BOT}"`);
  for (const at of [0, 20, text.length]) {
    const mask = new SecretMask(hiddenSecret(BOT, PROGRAM));
    expect(Buffer.concat([mask.write(text.subarray(0, at)), mask.end(text.subarray(at))!]).toString()).toBe(
      `"${PROGRAM}"`,
    );
  }
});

test('a secret of any length is found, in any text', () => {
  for (const length of [1, 14, 31, 32, 33, 34, 35, 80]) {
    const secret = randomBytes(80).toString('base64url').slice(0, length);
    const shown = length === 35 ? PROGRAM.slice(4) : '*'.repeat(length);
    const text = `${secret.slice(0, -1)} ü ${secret}€${secret.slice(1)}`;
    expect(withoutSecret(hiddenSecret(`5:${secret}`, PROGRAM), text)).toBe(text.replaceAll(secret, shown));
  }
});

test('the sizes of the pieces are the same for a hundred secrets, whatever the pieces resemble', () => {
  for (let round = 0; round < 100; round += 1) {
    const secret = `AA${randomBytes(25).toString('base64url').slice(0, 33)}`;
    const beginnings = Array.from({ length: secret.length }, (_, at) => `.${secret.slice(0, at + 1)}`);
    const hostile = [
      ...beginnings,
      ...beginnings.map((text) => text + secret),
      ...beginnings.map((text) => secret.slice(text.length)),
      secret.repeat(3),
      'A'.repeat(200),
      'AA',
    ].map((text) => Buffer.from(text));
    const harmless = hostile.map(({ length }) => Buffer.alloc(length, '.'));
    const sizes = (chunks: Buffer[]) => pieces(chunks, `123:${secret}`).map(({ length }) => length);
    expect(sizes(hostile)).toEqual(sizes(harmless));
    for (const size of [1, 3, 35]) {
      expect(sizes(cut(Buffer.concat(hostile), size))).toEqual(sizes(cut(Buffer.concat(harmless), size)));
    }
  }
});

test('a chunk that somebody else holds is not changed', () => {
  const chunk = Buffer.from(BOT);
  new SecretMask(hiddenSecret(BOT, PROGRAM)).end(chunk);
  expect(chunk.toString()).toBe(BOT);
});

test('a secret of another length becomes asterisks, so that the length stays', () => {
  const hidden = hiddenSecret('5:short-secret', PROGRAM);
  expect(withoutSecret(hidden, 'x short-secret y')).toBe('x ************ y');
  expect(withoutSecret(hidden, 'short-secret')).toBe('************');
});
