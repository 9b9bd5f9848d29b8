import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';

/** A stream that passes its data on, and the SHA-256 (hex) of the data once it has ended. */
export function hashing(): { stream: Transform; digest(): string } {
  const hash = createHash('sha256');
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return { stream, digest: () => hash.digest('hex') };
}
