import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { secretBox } from './secret-box.ts';

const newKey = () => randomBytes(32).toString('base64');
const TOKEN = '123456789:AAF_abcdefghijklmnopqrstuvwxyz-12345';
const PLACE = 'bots.token_sealed.7';

describe('The secret box', () => {
  test('opens what it sealed, in any script', () => {
    const box = secretBox(newKey());
    for (const plain of [TOKEN, '', 'пароль 🔑', 'x'.repeat(10_000)])
      expect(box.open(box.seal(plain, PLACE), PLACE)).toBe(plain);
  });

  test('seals the same text differently each time and shows nothing of it', () => {
    const box = secretBox(newKey());
    const [one, two] = [box.seal(TOKEN, PLACE), box.seal(TOKEN, PLACE)];
    expect(one).not.toBe(two);
    expect(one).not.toContain('123456789');
  });

  test('seals with the first of several keys and opens with all', () => {
    const [old, fresh] = [newKey(), newKey()];
    const before = secretBox(`2024:${old}`);
    const after = secretBox(`2025:${fresh}, 2024:${old}`);
    expect(after.open(before.seal(TOKEN, PLACE), PLACE)).toBe(TOKEN);
    expect(after.seal(TOKEN, PLACE)).toContain('2025');
    expect(secretBox(`2025:${fresh}`).open(after.seal(TOKEN, PLACE), PLACE)).toBe(TOKEN);
  });

  test('opens what was sealed while its key still stood alone, without an id', () => {
    const key = newKey();
    expect(secretBox(`next:${newKey()},old:${key}`).open(secretBox(key).seal(TOKEN, PLACE), PLACE)).toBe(TOKEN);
  });

  test('refuses a text that was altered, cut short, or sealed with a key it does not have', () => {
    const key = newKey();
    const sealed = secretBox(key).seal(TOKEN, PLACE);
    const flipped = sealed.slice(0, -3) + (sealed.at(-3) === 'A' ? 'B' : 'A') + sealed.slice(-2);
    expect(() => secretBox(key).open(flipped, PLACE)).toThrow();
    expect(() => secretBox(key).open(sealed.slice(0, 30), PLACE)).toThrow();
    for (const text of ['plain text', sealed.replace(/^v1/, 'v2')])
      expect(() => secretBox(key).open(text, PLACE)).toThrow('This is not a sealed text');
    expect(() => secretBox(newKey()).open(sealed, PLACE)).toThrow('does not list the key');
  });

  test('opens a text at no other place than the one it was sealed for, and says that it may have been moved', () => {
    const box = secretBox(newKey());
    const sealed = box.seal(TOKEN, PLACE);
    for (const place of ['bots.token_sealed.8', 'bots.secret_token_sealed.7', 'bots.token_sealed.', '']) {
      expect(() => box.open(sealed, place)).toThrow('altered or moved');
    }
  });

  test('names the key that has the id of another', () => {
    const sealed = secretBox(`2024:${newKey()}`).seal(TOKEN, PLACE);
    expect(() => secretBox(`2024:${newKey()}`).open(sealed, PLACE)).toThrow(
      'The key "2024" of ENCRYPTION_KEY is not the one',
    );
  });

  test.each(['short', randomBytes(31).toString('base64'), 'a:b:c', `a:${newKey()},a:${newKey()}`, ''])(
    'refuses the key %#, which is not 32 bytes of base64, without quoting it',
    (key) => {
      const error = (() => {
        try {
          return secretBox(key);
        } catch (thrown) {
          return thrown as Error;
        }
      })();
      expect(error).toBeInstanceOf(Error);
      if (key.length > 5) expect((error as Error).message).not.toContain(key);
    },
  );
});
