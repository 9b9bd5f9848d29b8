import { randomBytes } from 'node:crypto';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';

/**
 * The secrets that sign the deliveries of a backend. `secret` is '' if it cannot be opened: then nothing is delivered. `previous` is
 * the secret before a rotation, which also signs for a while.
 */
export type Signing = { secret: string; previous: { secret: string; untilMs: number } | null };

const SECRET_BYTES = 32;
/** How long a backend has to learn the new secret. */
const OVERLAP_MS = 86_400_000;

/** The first secret of a backend, in the form of Standard Webhooks. */
export function newSigning(): Signing {
  return { secret: `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`, previous: null };
}

/** A new secret. The present one also signs for 24 h, and the one before it no more. */
export function rotatedSigning({ secret }: Signing, nowMs: number): Signing {
  return { ...newSigning(), previous: secret === '' ? null : { secret, untilMs: nowMs + OVERLAP_MS } };
}

/** The secrets that sign at that time, the newest first. */
export function secretsAt({ secret, previous }: Signing, nowMs: number): string[] {
  return previous === null || previous.untilMs <= nowMs ? [secret] : [secret, previous.secret];
}

export function sealSigning(secrets: SecretBox, signing: Signing | null, place: string): string {
  return signing === null ? '' : secrets.seal(JSON.stringify(signing), place);
}

/** A text that cannot be opened stops the backend's deliveries and nothing else of the bot. */
export function openSigning(secrets: SecretBox, sealed: string, place: string): Signing | null {
  if (sealed === '') return null;
  try {
    return JSON.parse(secrets.open(sealed, place)) as Signing;
  } catch {
    return { secret: '', previous: null };
  }
}
