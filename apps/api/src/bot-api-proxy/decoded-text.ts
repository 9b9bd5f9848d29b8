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
  if (encoding === '') return body.toString('utf8');
  try {
    return DECODERS[encoding]?.(body, { maxOutputLength: MOST_BYTES }).toString('utf8') ?? null;
  } catch {
    return null;
  }
}
