import { hash, timingSafeEqual } from 'node:crypto';

/** SHA-256 of the text's UTF-8 bytes, as 64 lower-case hex digits. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Compares in a time that does not depend on the secret. Hashes, because timingSafeEqual needs equal lengths. */
export function isSecret(given: string, secret: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'));
}
