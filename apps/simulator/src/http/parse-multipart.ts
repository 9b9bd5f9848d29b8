import { addValue, type Params } from './params.ts';
import { parseFormParams } from './parse-form-params.ts';
import { readPartHeaders } from './part-headers.ts';
import type { HttpRefusal } from './refusal.ts';

const BLANK = Buffer.from('\r\n\r\n');
const FORM = 'application/x-www-form-urlencoded';
const [MAX_FILES, MAX_HEADERS, MAX_PARAMETERS, MAX_BOUNDARY] = [50, 1 << 18, 1 << 20, 70];
const BAD: HttpRefusal = { refusedStatus: 400 };
const TOO_LARGE: HttpRefusal = { refusedStatus: 413 };

/**
 * Reads a whole multipart body; the refusal if the platform answers with an error (HttpReader.cpp:237-511). The content type
 * has a byte in each character. `queryBytes`: the parameters that were read before.
 */
export function parseMultipart(params: Params, contentType: string, body: Buffer, queryBytes = 0): HttpRefusal | null {
  const boundary = findBoundary(contentType);
  if (boundary === null) return BAD;
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const first = body.indexOf(delimiter.subarray(2));
  if (first < 0) return BAD;
  let at = first + delimiter.length - 2;
  let [headersBytes, parameterBytes, files] = [0, queryBytes, 0];
  for (;;) {
    const blank = body.indexOf(BLANK, at);
    headersBytes += (blank < 0 ? body.length : blank) - at;
    if (headersBytes > MAX_HEADERS) return { refusedStatus: 431 };
    if (blank <= at) return BAD;
    const headers = readPartHeaders(body.subarray(at + 2, blank + 2));
    if (headers === null) return BAD;
    if (headers.fileName !== null && ++files > MAX_FILES) return TOO_LARGE;
    at = blank + BLANK.length;
    const end = body.indexOf(delimiter, at);
    const content = body.subarray(at, end < 0 ? body.length : end);
    if (headers.fileName === null && parameterBytes + content.length > MAX_PARAMETERS) return TOO_LARGE;
    if (end < 0) return BAD;
    if (headers.fileName !== null) addFile(params, headers.field, headers.fileName, headers.mime, content);
    else if (headers.mime.startsWith(FORM)) {
      // Only these count towards the limit.
      parameterBytes += content.length;
      parseFormParams(params, content);
    } else addValue(params, headers.field, content.toString());
    at = end + delimiter.length;
    const behind = body.toString('latin1', at, at + 2);
    if (behind === '--') return null;
    if (behind.length < 2) return BAD;
  }
}

/** From the first "=" behind the first "boundary" to the next semicolon; null if it is missing or too long (120-152). */
function findBoundary(contentType: string): string | null {
  const [, value] = /boundary[^=]*=([^;]*)/is.exec(contentType) ?? [];
  const boundary = value?.replace(/^"(.*)"$/s, '$1');
  return boundary === undefined || boundary === '' || boundary.length > MAX_BOUNDARY ? null : boundary;
}

function addFile({ files }: Params, field: string, name: string, mime: string, content: Buffer): void {
  if (!files.has(field)) files.set(field, { field, name, mime, bytes: Buffer.from(content) });
}
