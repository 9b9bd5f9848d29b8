import { createHash } from 'node:crypto';

export type EncryptionKeys = {
  first: { id: string; key: Buffer };
  byId(id: string): Buffer | undefined;
};

const KEY_BYTES = 32;
const LISTED_KEY = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})$/;

/** Reads ENCRYPTION_KEY. Throws an Error that says what is wrong and never quotes the value. */
export function parseEncryptionKey(value: string): EncryptionKeys {
  const listed = value.includes(':') ? value.split(',').map((entry) => readListed(entry.trim())) : [readBare(value)];
  const byId = new Map<string, Buffer>();
  for (const { id, key } of listed) {
    if (byId.has(id)) throw new Error(`lists the key id "${id}" twice`);
    byId.set(id, key);
  }
  // Texts sealed with a single key stay readable after that key got an id in a list.
  for (const { key } of listed) byId.set(fingerprint(key), key);
  return { first: listed[0]!, byId: (id) => byId.get(id) };
}

function readListed(entry: string): { id: string; key: Buffer } {
  const match = LISTED_KEY.exec(entry);
  if (!match) throw new Error('must be 32 bytes in base64, or a list of them as id:base64,id:base64');
  return { id: match[1]!, key: decode(match[2]!) };
}

function readBare(value: string): { id: string; key: Buffer } {
  const key = decode(value.trim());
  return { id: fingerprint(key), key };
}

function decode(base64: string): Buffer {
  const key = Buffer.from(base64, 'base64');
  if (key.length !== KEY_BYTES) throw new Error('must be 32 bytes in base64 (make one with: openssl rand -base64 32)');
  return key;
}

function fingerprint(key: Buffer): string {
  return createHash('sha256').update('flotilla key id').update(key).digest('hex').slice(0, 12);
}
