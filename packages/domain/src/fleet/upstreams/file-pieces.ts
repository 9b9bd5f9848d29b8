import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';

const PIECE_BYTES = 16 * 1024;

/** The bytes of a file from `from` to `to`, both included. A stream of Node would hold the next piece, too. Closes the file. */
export function filePieces(file: FileHandle, { from, to }: { from: number; to: number }): Readable {
  let at = from;
  const readPiece = async (pieces: Readable) => {
    const length = Math.min(PIECE_BYTES, to - at + 1);
    if (length <= 0) return pieces.push(null);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, at);
    if (bytesRead === 0) throw new Error('the file has become shorter');
    at += bytesRead;
    return pieces.push(buffer.subarray(0, bytesRead));
  };
  return new Readable({
    // Nothing is read before it is asked for.
    highWaterMark: 0,
    read() {
      readPiece(this).catch((error: Error) => this.destroy(error));
    },
    destroy(error, done) {
      file.close().then(() => done(error), done);
    },
  });
}
