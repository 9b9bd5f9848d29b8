import { createHmac, timingSafeEqual } from 'node:crypto';

/** Codes of an authenticator app: RFC 6238 with SHA-1, six digits and 30 s, which is what every app can do. */

const STEP_MS = 30_000;
const DIGITS = 6;
/** How many steps before and after the present one count: clocks of phones are off, and people type slowly. */
const STEPS_APART = 1;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The step of a correct code; null if it is wrong. A step at or before `lastStep` was used. */
export function stepOfCode(secret: Buffer, code: string, { nowMs, last_step }: { nowMs: number; last_step: number }) {
  const now = Math.floor(nowMs / STEP_MS);
  let found: number | null = null;
  // All are compared, so that the time tells nothing.
  for (let step = now - STEPS_APART; step <= now + STEPS_APART; step += 1) {
    if (isSame(codeOf(secret, step), code) && step > last_step) found = step;
  }
  return found;
}

/** The code at a moment. */
export function codeAt(secret: Buffer, ms: number): string {
  return codeOf(secret, Math.floor(ms / STEP_MS));
}

/** RFC 4226, section 5.3. */
function codeOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = digest.at(-1)! & 15;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** RFC 4648, without padding, as apps take it. */
export function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** The address in the QR code that an app reads. */
export function totpUri(secret: Buffer, issuer: string, username: string): string {
  const label = [issuer, username].map(encodeURIComponent).join(':');
  return `otpauth://totp/${label}?${new URLSearchParams({ secret: toBase32(secret), issuer })}`;
}
