import type { IncomingMessage } from 'node:http';
import { newParams, type Params } from './params.ts';
import { parseFormParams } from './parse-form-params.ts';
import { parseJsonParams } from './parse-json-params.ts';
import { parseMultipart } from './parse-multipart.ts';
import type { HttpRefusal } from './refusal.ts';
import { unpackBody } from './unpack-body.ts';

const MAX_PARAMETER_BYTES = 1024 * 1024;
const TOO_LARGE: HttpRefusal = { refusedStatus: 413 };

/** Merges query and body, in any of the six forms that clients use (HttpReader.cpp:68-229,575-607,721-800). */
export async function readParams(
  req: IncomingMessage,
  query: string,
  maxBodyBytes: number,
): Promise<Params | HttpRefusal> {
  const params = newParams();
  parseFormParams(params, Buffer.from(query, 'latin1'));
  const transfer = header(req, 'transfer-encoding').toLowerCase();
  if (transfer === '' && Number(header(req, 'content-length') || 0) === 0) return params;
  if (!['', 'chunked'].includes(transfer)) return { refusedStatus: 501 };
  const encoding = header(req, 'content-encoding').toLowerCase();
  if (!['', 'none', 'gzip', 'deflate'].includes(encoding)) return { refusedStatus: 415 };
  const contentType = header(req, 'content-type');
  const sent = await readBody(req, maxBodyBytes);
  if (sent === null) return TOO_LARGE;
  const body = ['', 'none'].includes(encoding) ? sent : unpackBody(sent);
  if (body === null) return { refusedStatus: 400 };
  return parseBody(params, contentType, body, query.length) ?? params;
}

/** Adds the parameters of a body by its content type; the refusal if the platform cannot read it. */
export function parseBody(params: Params, contentType: string, body: Buffer, queryBytes = 0): HttpRefusal | null {
  const type = contentType.toLowerCase();
  if (type.includes('multipart/form-data')) return parseMultipart(params, contentType, body, queryBytes);
  const isForm = type.includes('application/x-www-form-urlencoded');
  if (isForm || type.includes('application/json')) {
    if (body.length > MAX_PARAMETER_BYTES - queryBytes) return TOO_LARGE;
    if (isForm) parseFormParams(params, body);
    else parseJsonParams(params, body);
  } else if (body.length > 0) {
    params.files.set('file', { field: 'file', name: '', mime: contentType, bytes: body });
  }
  return null;
}

/** The last header of the name counts (HttpReader.cpp:542-573); '' if there is none. */
function header({ rawHeaders }: IncomingMessage, name: string): string {
  let value = '';
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.toLowerCase() === name) value = rawHeaders[at + 1]!.trim();
  }
  return value;
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
