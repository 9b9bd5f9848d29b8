import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileStream } from '@flotilla/telegram/platform-client.ts';

/**
 * Sends a stream as the body of an answer. The next piece is asked for when the kernel has taken the one before, so that a client that
 * stops reading leaves no more than that here. Rejects if the stream fails or has not `size` bytes, the client leaves or `signal`
 * aborts; then the connection is cut, so that nobody takes a part for the whole.
 */
export async function sendPieces(
  response: ServerResponse,
  { stream, size }: { stream: FileStream; size: number | null },
  signal?: AbortSignal,
): Promise<void> {
  const body = bodyOf(response, stream, size);
  const leave = () => body.destroy();
  response.once('close', leave);
  // No event tells of a client that left before.
  if (response.closed) leave();
  try {
    await pipeline(stream, body, signal === undefined ? {} : { signal });
  } catch (error) {
    response.destroy();
    throw error;
  }
}

function bodyOf(response: ServerResponse, { reuse }: FileStream, size: number | null): Writable {
  let sent = 0;
  return new Writable({
    // The response itself would take several pieces.
    highWaterMark: 1,
    write(piece: Buffer, _encoding, done) {
      sent += piece.length;
      // A write that fails closes the response.
      response.write(piece, (error) => {
        if (error) return;
        reuse?.(piece);
        done();
      });
    },
    final(done) {
      if (size === null || sent === size) response.end(done);
      else done(new Error(`${sent} bytes came instead of ${size}`));
    },
  });
}
