/** The secret part of a bot's token, and what a program sees in its place: as many characters, so lengths do not change. */
export type HiddenSecret = {
  bytes: Buffer;
  shown: Buffer;
  /** For each byte the positions at the beginning of the secret where it does not stand, as bits. */
  misses: Int32Array;
};

/** The bits of a number. */
const POSITIONS = 32;

/** The secret becomes that of the program's token if it is as long, else asterisks. */
export function hiddenSecret(botToken: string, programToken: string): HiddenSecret {
  const [secret, ofProgram] = [secretOf(botToken), secretOf(programToken)];
  const bytes = Buffer.from(secret);
  const shown = Buffer.from(ofProgram.length === secret.length ? ofProgram : '*'.repeat(secret.length));
  const misses = new Int32Array(256).fill(-1);
  for (let at = 0; at < positionsOf(bytes); at++) misses[bytes[at]!]! &= ~(1 << at);
  return { bytes, shown, misses };
}

function secretOf(token: string): string {
  return token.slice(token.indexOf(':') + 1);
}

function positionsOf(secret: Buffer): number {
  return Math.min(POSITIONS, secret.length);
}

export function withoutSecret(secret: HiddenSecret, text: string): string {
  if (text.length < secret.bytes.length) return text;
  const bytes = Buffer.from(text);
  const masked = withoutSecretBytes(secret, bytes);
  return masked === bytes ? text : masked.toString();
}

/**
 * The same bytes, or a copy if the secret was in them, because a tee may hold them. The search (Shift-Or) takes the same
 * steps for each byte. Buffer.indexOf takes 100 times longer for texts that resemble the secret, which a client can time.
 */
function withoutSecretBytes(secret: HiddenSecret, bytes: Buffer): Buffer {
  const { misses } = secret;
  const positions = positionsOf(secret.bytes);
  const last = 1 << (positions - 1);
  let masked = bytes;
  let state = -1;
  for (let at = 0; at < bytes.length; at++) {
    state = (state << 1) | (misses[bytes[at] as number] as number);
    if ((state & last) === 0) masked = maskedAt(secret, masked, bytes, at + 1 - positions);
  }
  return masked;
}

/** Masks the secret at this place, where its first 32 characters stand. */
function maskedAt({ bytes: secret, shown }: HiddenSecret, masked: Buffer, bytes: Buffer, from: number): Buffer {
  if (!bytes.subarray(from, from + secret.length).equals(secret)) return masked;
  const copy = masked === bytes ? Buffer.from(bytes) : masked;
  shown.copy(copy, from);
  return copy;
}

/** The same secret for an answer that is kept, where no token of the program may stand: NUL characters, which no answer has. */
export function asKept(secret: HiddenSecret): HiddenSecret {
  return { ...secret, shown: Buffer.alloc(secret.bytes.length) };
}

/** A kept answer for whoever asks now. */
export function shownKept({ shown }: HiddenSecret, kept: Buffer): Buffer {
  const gap = Buffer.alloc(shown.length);
  let body = kept;
  for (let at = kept.indexOf(gap); at !== -1; at = kept.indexOf(gap, at + gap.length)) {
    if (body === kept) body = Buffer.from(kept);
    shown.copy(body, at);
  }
  return body;
}

const NONE = Buffer.alloc(0);

/**
 * Replaces the secret in an answer that goes to a program, wherever its chunks are cut. As much as a secret, less one byte,
 * is kept back until the end whatever it is: the sizes of the pieces would tell a client what resembles the secret.
 */
export class SecretMask {
  readonly #secret: HiddenSecret;
  #kept: Buffer = NONE;

  constructor(secret: HiddenSecret) {
    this.#secret = secret;
  }

  /** The next bytes that may be shown. */
  write(chunk: Buffer): Buffer {
    const bytes = this.#searched(chunk);
    const ready = Math.max(0, bytes.length - this.#secret.bytes.length + 1);
    this.#kept = Buffer.from(bytes.subarray(ready));
    return bytes.subarray(0, ready);
  }

  /** All the rest, with the last chunk; null if there is nothing. */
  end(chunk: Buffer | null): Buffer | null {
    const rest = chunk === null ? this.#kept : this.#searched(chunk);
    this.#kept = NONE;
    return rest.length === 0 ? null : rest;
  }

  #searched(chunk: Buffer): Buffer {
    return withoutSecretBytes(this.#secret, this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]));
  }
}
