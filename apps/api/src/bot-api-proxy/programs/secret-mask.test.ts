import { expect, test } from '@jest/globals';
import { hiddenSecret, SecretMask, withoutSecret } from './secret-mask.ts';

const BOT = '123:AAabcdefghijklmnopqrstuvwxyz0123456';
const PROGRAM = '123:fvABCDEFGHIJKLMNOPQRSTUVWXYZ6543210';

function cut(text: string, sizes: number): string {
  const mask = new SecretMask(hiddenSecret(BOT, PROGRAM));
  const bytes = Buffer.from(text);
  const shown: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += sizes) shown.push(mask.write(bytes.subarray(at, at + sizes)));
  return Buffer.concat([...shown, mask.end()]).toString();
}

test('the secret is replaced wherever the chunks are cut, and nothing else changes', () => {
  const secret = BOT.slice(4);
  const text = `{"a":"${BOT}","b":"AAabc ${secret}${secret} AAAAabcdef","c":"%3A${secret}"} AAabcdefghijkl`;
  const expected = text.replaceAll(secret, PROGRAM.slice(4));
  for (const size of [1, 2, 7, 34, 35, 36, 1000]) expect(cut(text, size)).toBe(expected);
  expect(expected).not.toContain(secret);
});

test('a chunk that somebody else holds is not changed', () => {
  const chunk = Buffer.from(BOT);
  new SecretMask(hiddenSecret(BOT, PROGRAM)).write(chunk);
  expect(chunk.toString()).toBe(BOT);
});

test('a secret of another length becomes asterisks, so that the length stays', () => {
  const hidden = hiddenSecret('5:short-secret', PROGRAM);
  expect(withoutSecret(hidden, 'x short-secret y')).toBe('x ************ y');
  expect(withoutSecret(hidden, 'short-secret')).toBe('************');
});
