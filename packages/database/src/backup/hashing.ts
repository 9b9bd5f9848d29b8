import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';

/** A stream that passes its data on; how many bytes it has passed, and their SHA-256 (hex) once it has ended. */
export function hashing(): { stream: Transform; bytes(): number; digest(): string } {
  const hash = createHash('sha256');
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, bytes: () => bytes, digest: () => hash.digest('hex') };
}
