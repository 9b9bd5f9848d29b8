import { createCipheriv, createDecipheriv, createHmac, type DecipherGCM, hkdfSync, randomBytes } from 'node:crypto';
import { parseEncryptionKey } from './encryption-key.ts';

/** Encrypts values that must be read back later (bot tokens, secrets), for storage. */
export type SecretBox = {
  /** The id of the key that seals. */
  keyId: string;
  /** True if ENCRYPTION_KEY lists the key of this id. */
  lists(keyId: string): boolean;
  /** Seals a text, with a different result each time. It opens only at this place: table, column and row. */
  seal(plain: string, place: string): string;
  /** Throws when the text was altered, or sealed for another place or with a key that is not listed. */
  open(sealed: string, place: string): string;
  /** The same for the same text under the first key. Without the key nobody can guess the text by it. */
  digest(text: string): string;
};

/** The prefix of every sealed text. */
const FORMAT = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM under ENCRYPTION_KEY: 32 bytes in base64, or a list `id:base64,…` of which the first seals and all open.
 * Throws an Error when the value has another form.
 */
export function secretBox(encryptionKey: string): SecretBox {
  const keys = parseEncryptionKey(encryptionKey);
  const { first } = keys;
  const digestKey = Buffer.from(hkdfSync('sha256', first.key, '', 'digest', 32));
  return {
    keyId: first.id,
    lists: (keyId) => keys.byId(keyId) !== undefined,
    seal: (plain, place) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', first.key, iv).setAAD(bindingsOf(first.id, place));
      const sealed = Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return [FORMAT, first.id, sealed.toString('base64url')].join('.');
    },
    open: (sealed, place) => {
      const { id, text } = partsOf(sealed);
      if (id === null || !text) throw new Error('This is not a sealed text');
      const key = keys.byId(id);
      if (!key)
        throw new Error(`ENCRYPTION_KEY does not list the key "${id}" any more, with which this text was sealed`);
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length < IV_BYTES + TAG_BYTES) throw new Error('The sealed text is cut short');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(bindingsOf(id, place))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      const plain = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8');
      return plain + verified(decipher, id);
    },
    digest: (text) => createHmac('sha256', digestKey).update(text).digest('base64url'),
  };
}

/** The id of the key that sealed this text; null when the text is not in a sealed form. */
export function keyIdOf(sealed: string): string | null {
  return partsOf(sealed).id;
}

function partsOf(sealed: string): { id: string | null; text: string } {
  const [format = '', id = '', text = ''] = sealed.split('.');
  return { id: format === FORMAT && id !== '' ? id : null, text };
}

/** The data authenticated with the text. A key's id contains no dot, so it is unambiguous. */
function bindingsOf(keyId: string, place: string): Buffer {
  return Buffer.from([FORMAT, keyId, place].join('.'));
}

/** The end of the text. Replaces Node's error, which names neither the key nor the setting. */
function verified(decipher: DecipherGCM, keyId: string): string {
  try {
    return decipher.final('utf8');
  } catch {
    throw new Error(
      `The key "${keyId}" of ENCRYPTION_KEY is not the one that sealed this text, or the text was altered or moved`,
    );
  }
}
