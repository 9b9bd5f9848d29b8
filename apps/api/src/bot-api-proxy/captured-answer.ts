import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

/** An answer's body as it went by; `encoding` is '' when it is not compressed. */
export type SeenAnswer = { body: Buffer; encoding: string };

export const ANSWER_BYTES = 1024 * 1024;

const DECODERS: Record<string, (data: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** Content-Encoding as `SeenAnswer` has it. */
export function readEncoding(contentEncoding: string): string {
  const encoding = contentEncoding.trim().toLowerCase();
  return encoding === 'identity' ? '' : encoding;
}

/** The text of an answer, at most 1 MiB of it; rejects when it cannot be decompressed. */
export async function readAnswer({ body, encoding }: SeenAnswer): Promise<string> {
  if (encoding === '') return body.toString('utf8');
  const decode = DECODERS[encoding];
  if (decode === undefined) throw new Error(`the answer has the unknown encoding ${encoding}`);
  return (await decode(body, { maxOutputLength: ANSWER_BYTES })).toString('utf8');
}
