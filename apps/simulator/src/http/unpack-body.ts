import { crc32, inflateRawSync, inflateSync } from 'node:zlib';

const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const [HEADER_CHECK, EXTRA, NAME, COMMENT, RESERVED] = [2, 4, 8, 16, 0xe0];

/** Decompresses gzip or deflate, whichever it is, as zlib does with MAX_WBITS + 32; what follows is ignored (Gzip.cpp:44-53). */
export function unpackBody(body: Buffer): Buffer | null {
  try {
    return body[0] === 0x1f && body[1] === 0x8b ? gunzipFirst(body) : inflateSync(body);
  } catch {
    return null;
  }
}

/** Only the first member; Node's own function would read them all. */
function gunzipFirst(body: Buffer): Buffer | null {
  const flags = body[3] ?? RESERVED;
  if (body[2] !== 8 || (flags & RESERVED) !== 0) return null;
  let at = HEADER_BYTES;
  if (flags & EXTRA) at += 2 + body.readUInt16LE(at);
  for (const text of [NAME, COMMENT]) if (flags & text) at = body.indexOf(0, at) + 1;
  if (flags & HEADER_CHECK) {
    if (body.readUInt16LE(at) !== (crc32(body.subarray(0, at)) & 0xffff)) return null;
    at += 2;
  }
  const { buffer, engine } = inflateRawSync(body.subarray(at), { info: true }) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
  const trailer = body.subarray(at + engine.bytesWritten, at + engine.bytesWritten + TRAILER_BYTES);
  const isSound = trailer.readUInt32LE(0) === crc32(buffer) && trailer.readUInt32LE(4) === buffer.length % 2 ** 32;
  return isSound ? buffer : null;
}
