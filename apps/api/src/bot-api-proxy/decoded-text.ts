import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

const MOST_BYTES = 1024 * 1024;
const DECODERS: Record<string, (data: Buffer, options: { maxOutputLength: number }) => Buffer> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** The text of a short answer with this Content-Encoding ('' for none); null if it cannot be decompressed. */
export function decodedText(body: Buffer, encoding: string): string | null {
  return decodedBytes(body, encoding)?.toString('utf8') ?? null;
}

export function decodedBytes(body: Buffer, encoding: string): Buffer | null {
  if (encoding === '') return body;
  try {
    return DECODERS[encoding]?.(body, { maxOutputLength: MOST_BYTES }) ?? null;
  } catch {
    return null;
  }
}
