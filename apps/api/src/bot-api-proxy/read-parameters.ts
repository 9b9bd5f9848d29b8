import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { CERTIFICATE_BYTES_AT_MOST } from '@flotilla/domain/bots/backend-certificate.ts';
import { type Parameters, parameterReader, parametersOf } from '@flotilla/telegram/parameters/parameters.ts';

/** The platform's own limits on what a call may carry beside its files. */
const PARAMETERS_LIMIT = 1024 * 1024;
/** One byte more than a certificate may have is enough to refuse it. */
const FILE_LIMIT = CERTIFICATE_BYTES_AT_MOST + 1;
const BODY_LIMIT = 16 * 1024 * 1024;

export type ReadParameters =
  | { outcome: 'read'; parameters: Parameters }
  | { outcome: 'too-large' }
  | { outcome: 'unknown-encoding' }
  | { outcome: 'aborted' };

/**
 * Reads the whole request of a call that we answer ourselves: parameters of query and body merged, the query first.
 * At most 1 MiB of parameters, 64 KiB of each file, 16 MiB in all; `aborted` when the client went away.
 */
export async function readParameters(req: IncomingMessage, query: string): Promise<ReadParameters> {
  const parameters = parametersOf(query);
  const body = decodedBody(req);
  if (body === null) return { outcome: 'unknown-encoding' };
  const limits = { parameterBytes: PARAMETERS_LIMIT, fileBytes: FILE_LIMIT };
  const reader = parameterReader(req.headers['content-type'] ?? '', parameters, limits);
  let bytes = 0;
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: body !== req }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      reader.write(chunk);
      if (bytes > BODY_LIMIT || parameters.overflow) return { outcome: 'too-large' };
    }
  } catch {
    // A body that ends in the middle of its compression keeps what was read, like any malformed body.
    if (!req.complete) return { outcome: 'aborted' };
  }
  reader.end();
  return parameters.overflow ? { outcome: 'too-large' } : { outcome: 'read', parameters };
}

function decodedBody(req: IncomingMessage): Readable | null {
  const encoding = (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return req;
  const decoder = encoding === 'gzip' ? createGunzip() : encoding === 'deflate' ? createInflate() : null;
  if (decoder === null) return null;
  req.on('error', (error) => decoder.destroy(error));
  return req.pipe(decoder);
}
