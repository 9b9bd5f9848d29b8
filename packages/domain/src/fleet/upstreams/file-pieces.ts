import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FileStream } from '@flotilla/telegram/platform-client.ts';

const PIECE_BYTES = 32 * 1024;

/** The bytes of a file from `from` to `to`, both included. A stream of Node would hold the next piece, too. Closes the file. */
export function filePieces(file: FileHandle, { from, to }: { from: number; to: number }): FileStream {
  let at = from;
  let spare: Buffer | undefined;
  const readPiece = async (pieces: Readable) => {
    const length = Math.min(PIECE_BYTES, to - at + 1);
    if (length <= 0) return pieces.push(null);
    const piece = spare ?? Buffer.allocUnsafeSlow(length);
    spare = undefined;
    const { bytesRead } = await file.read(piece, 0, length, at);
    if (bytesRead === 0) throw new Error('the file has become shorter');
    at += bytesRead;
    return pieces.push(piece.subarray(0, bytesRead));
  };
  const stream = new Readable({
    // Nothing is read before it is asked for.
    highWaterMark: 0,
    read() {
      readPiece(this).catch((error: Error) => this.destroy(error));
    },
    destroy(error, done) {
      file.close().then(() => done(error), done);
    },
  });
  return Object.assign(stream, {
    reuse({ buffer }: Buffer) {
      spare = Buffer.from(buffer);
    },
  });
}
