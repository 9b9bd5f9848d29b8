/** Replaces the secret part of a bot's token in what goes to a program. Lengths do not change. */
export type TokenCutter = {
  /** The next bytes that may be shown; it keeps back what may be the beginning of the secret. */
  write(chunk: Buffer): Buffer;
  /** The bytes that were kept back. */
  end(): Buffer;
  text(value: string): string;
};

const NONE = Buffer.alloc(0);

/** The secret becomes that of the program's token if it is as long, else asterisks. */
export function tokenCutter(botToken: string, programToken: string): TokenCutter {
  const secretText = secretOf(botToken);
  const shownText =
    secretOf(programToken).length === secretText.length ? secretOf(programToken) : '*'.repeat(secretText.length);
  const [secret, shown] = [Buffer.from(secretText), Buffer.from(shownText)];
  let kept: Buffer = NONE;
  return {
    write(chunk) {
      let bytes = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
      let at = bytes.indexOf(secret);
      // A copy, because a tee may hold the chunk.
      if (at !== -1 && bytes === chunk) bytes = Buffer.from(chunk);
      for (; at !== -1; at = bytes.indexOf(secret, at + secret.length)) shown.copy(bytes, at);
      const keep = beginningAtEnd(bytes, secret);
      kept = keep === 0 ? NONE : Buffer.from(bytes.subarray(bytes.length - keep));
      return keep === 0 ? bytes : bytes.subarray(0, bytes.length - keep);
    },
    end() {
      const last = kept;
      kept = NONE;
      return last;
    },
    text: (value) => value.replaceAll(secretText, shownText),
  };
}

function secretOf(token: string): string {
  return token.slice(token.indexOf(':') + 1);
}

/** How many bytes at the end are the beginning of the secret, and not all of it. */
function beginningAtEnd(bytes: Buffer, secret: Buffer): number {
  for (let length = Math.min(secret.length - 1, bytes.length); length > 0; length--) {
    if (bytes.subarray(bytes.length - length).equals(secret.subarray(0, length))) return length;
  }
  return 0;
}
