import { createDecipheriv, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { isUnbound, secretBox } from './secret-box.ts';

const newKey = () => randomBytes(32).toString('base64');
const TOKEN = '123456789:AAF_abcdefghijklmnopqrstuvwxyz-12345';
const PLACE = 'bots.token_sealed.7';
/** Made by the previous release, with a worthless key. */
const SEALED_BEFORE = {
  key: 'AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM=',
  sealed:
    'v1.ae5ddaa8938b.vMilfcIwHqeBJvJcpjJAlH8qUdc_zmIkAutheqDuWBdAFJ2TThrGnBOyui3qIXfwyhKtgBya6NvRonu5hxA0aIMGV00REjHQ0b0',
};

/** Opens a text as the previous release does: only the key's id is authenticated with it. */
function openedBefore(key: string, sealed: string): string {
  const [, id = '', text = ''] = sealed.split('.');
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'base64'), bytes.subarray(0, 12));
  decipher.setAAD(Buffer.from(id)).setAuthTag(bytes.subarray(-16));
  return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
}

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
    expect(() => secretBox(key).open('plain text', PLACE)).toThrow('This is not a sealed text');
    expect(() => secretBox(newKey()).open(sealed, PLACE)).toThrow('does not list the key');
  });

  test('opens a text at no other place than the one it was sealed for, and says that it may have been moved', () => {
    const box = secretBox(newKey());
    const sealed = box.seal(TOKEN, PLACE);
    for (const place of ['bots.token_sealed.8', 'bots.secret_token_sealed.7', 'bots.token_sealed.', '']) {
      expect(() => box.open(sealed, place)).toThrow('altered or moved');
    }
    // The format is authenticated as well, so a bound text cannot pass for an unbound one.
    expect(() => box.open(sealed.replace(/^v2/, 'v1'), PLACE)).toThrow('altered or moved');
  });

  test('opens at every place what the previous release sealed, and can seal like it', () => {
    const box = secretBox(SEALED_BEFORE.key);
    for (const sealed of [SEALED_BEFORE.sealed, box.sealUnbound(TOKEN)]) {
      expect(isUnbound(sealed)).toBe(true);
      expect(box.open(sealed, PLACE)).toBe(TOKEN);
      expect(box.open(sealed, 'bots.token_sealed.8')).toBe(TOKEN);
    }
    expect(isUnbound(box.seal(TOKEN, PLACE))).toBe(false);
    expect(openedBefore(SEALED_BEFORE.key, box.sealUnbound(TOKEN))).toBe(TOKEN);
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
