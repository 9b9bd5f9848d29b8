import type { IncomingMessage } from 'node:http';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';

const MAX_JSON_BYTES = 32_768;

export async function readJson(request: IncomingMessage): Promise<unknown> {
  return JSON.parse((await readBytes(request, MAX_JSON_BYTES, 'The body is too long.')).toString('utf8'));
}

/** Throws with `tooLong` as soon as more has come; no more than that is held. */
export async function readBytes(request: IncomingMessage, maxBytes: number, tooLong: string): Promise<Buffer> {
  const refused = () => new FlotillaError('bad_request', tooLong);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw refused();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw refused();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
