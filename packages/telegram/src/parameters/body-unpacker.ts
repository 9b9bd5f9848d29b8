import type { Transform } from 'node:stream';
import { createUnzip } from 'node:zlib';

/**
 * Decompresses a body as the platform does (`GzipByteFlow`): gzip or deflate, whichever it is, and one member of it. It fails
 * for a damaged body, and with an error that `isBehindEnd` knows for one that goes on behind its end.
 */
export function bodyUnpacker(): Transform {
  // Without the option, Node would go on with the next member of gzip.
  return createUnzip({ rejectGarbageAfterEnd: true });
}

/** True for an error that came after the whole body was unpacked: the platform ignores the rest. */
export function isBehindEnd({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ERR_TRAILING_JUNK_AFTER_STREAM_END';
}
