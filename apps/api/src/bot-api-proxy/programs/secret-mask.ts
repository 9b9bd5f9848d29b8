/** The secret part of a bot's token, and what a program sees in its place: as many characters, so lengths do not change. */
export type HiddenSecret = { text: string; bytes: Buffer; shownText: string; shownBytes: Buffer };

/** The secret becomes that of the program's token if it is as long, else asterisks. */
export function hiddenSecret(botToken: string, programToken: string): HiddenSecret {
  const [text, ofProgram] = [secretOf(botToken), secretOf(programToken)];
  const shownText = ofProgram.length === text.length ? ofProgram : '*'.repeat(text.length);
  return { text, bytes: Buffer.from(text), shownText, shownBytes: Buffer.from(shownText) };
}

export function withoutSecret({ text, shownText }: HiddenSecret, value: string): string {
  return value.length < text.length ? value : value.replaceAll(text, shownText);
}

const NONE = Buffer.alloc(0);

/** Replaces the secret in an answer that goes to a program, wherever its chunks are cut. */
export class SecretMask {
  readonly #secret: HiddenSecret;
  #kept: Buffer = NONE;

  constructor(secret: HiddenSecret) {
    this.#secret = secret;
  }

  /** The next bytes that may be shown; it keeps back what may be the beginning of the secret. */
  write(chunk: Buffer): Buffer {
    const { bytes: secret, shownBytes } = this.#secret;
    let bytes = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]);
    let at = bytes.indexOf(secret);
    // A copy, because a tee may hold the chunk.
    if (at !== -1 && bytes === chunk) bytes = Buffer.from(chunk);
    for (; at !== -1; at = bytes.indexOf(secret, at + secret.length)) shownBytes.copy(bytes, at);
    const keep = beginningAtEnd(bytes, secret);
    this.#kept = keep === 0 ? NONE : Buffer.from(bytes.subarray(bytes.length - keep));
    return keep === 0 ? bytes : bytes.subarray(0, bytes.length - keep);
  }

  /** The bytes that were kept back. */
  end(): Buffer {
    const last = this.#kept;
    this.#kept = NONE;
    return last;
  }

  text(value: string): string {
    return withoutSecret(this.#secret, value);
  }
}

function secretOf(token: string): string {
  return token.slice(token.indexOf(':') + 1);
}

/** How many bytes at the end are the beginning of the secret, and not all of it. */
function beginningAtEnd(bytes: Buffer, secret: Buffer): number {
  for (let at = Math.max(0, bytes.length - secret.length + 1); at < bytes.length; at++) {
    if (bytes[at] === secret[0] && beginsAt(bytes, at, secret)) return bytes.length - at;
  }
  return 0;
}

/** Whether what follows `at`, which is shorter than the secret, is its beginning. */
function beginsAt(bytes: Buffer, at: number, secret: Buffer): boolean {
  for (let more = at + 1; more < bytes.length; more++) if (bytes[more] !== secret[more - at]) return false;
  return true;
}
