import type { IncomingMessage } from 'node:http';
import { gunzipSync, inflateSync } from 'node:zlib';
import { addValue, newParams, type Params } from './params.ts';
import { parseJsonParams } from './parse-json-params.ts';
import { parseMultipart } from './parse-multipart.ts';

const MAX_PARAMETER_BYTES = 1024 * 1024;

/** An error below the API: a status with an empty body, and then the server closes the connection. */
export type HttpRefusal = { refusedStatus: number };

export function isRefusal(value: object): value is HttpRefusal {
  return 'refusedStatus' in value;
}

/** Merges query and body, in any of the six forms that clients use (HttpReader.cpp:80-229,721-755). */
export async function readParams(
  req: IncomingMessage,
  query: string,
  maxBodyBytes: number,
): Promise<Params | HttpRefusal> {
  const encoding = (req.headers['content-encoding'] ?? '').toLowerCase();
  if (!['', 'identity', 'gzip', 'deflate'].includes(encoding)) return { refusedStatus: 415 };
  if (!['', 'identity', 'chunked'].includes((req.headers['transfer-encoding'] ?? '').toLowerCase())) {
    return { refusedStatus: 501 };
  }
  const params = newParams();
  parseForm(params, query);
  const contentType = req.headers['content-type'] ?? '';
  const isPlain = contentType.includes('application/x-www-form-urlencoded') || contentType.includes('application/json');
  const sent = await readBody(req, isPlain ? MAX_PARAMETER_BYTES : maxBodyBytes);
  if (sent === null) return { refusedStatus: 413 };
  const body = decode(sent, encoding);
  if (body === null) return { refusedStatus: 400 };
  const parameterBytes = query.length + parseBody(params, contentType, body);
  if (parameterBytes > MAX_PARAMETER_BYTES) return { refusedStatus: 413 };
  return params;
}

/** Adds the parameters of a body by its content type; returns how many bytes they had. */
export function parseBody(params: Params, contentType: string, body: Buffer): number {
  if (contentType.includes('multipart/form-data')) return parseMultipart(params, contentType, body);
  if (contentType.includes('application/x-www-form-urlencoded')) parseForm(params, body.toString('utf8'));
  else if (contentType.includes('application/json')) parseJsonParams(params, body.toString('utf8'));
  else {
    if (body.length > 0) params.files.set('file', { field: 'file', name: '', mime: contentType, bytes: body });
    return 0;
  }
  return body.length;
}

/** Returns null when the body is too long, but reads it to the end: else the client could not receive the response. */
function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else {
        chunks = [];
        resolve(null);
      }
    });
    req.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    req.once('error', reject);
    req.once('close', () => {
      if (!req.complete) reject(new Error('the client went away while sending'));
    });
  });
}

function decode(body: Buffer, encoding: string): Buffer | null {
  try {
    if (encoding === 'gzip') return gunzipSync(body);
    return encoding === 'deflate' ? inflateSync(body) : body;
  } catch {
    return null;
  }
}

/** Parses urlencoded pairs; a broken escape ends the parsing, and the earlier pairs remain. */
function parseForm(params: Params, form: string): void {
  for (const pair of form.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    try {
      addValue(params, unescapeForm(name), unescapeForm(value));
    } catch {
      return;
    }
  }
}

function unescapeForm(piece: string): string {
  return decodeURIComponent(piece.replaceAll('+', ' '));
}
